package park.sdk;

import java.util.concurrent.TimeUnit;

/** How long a server that misses deadlines is waited for. One thread. */
final class Patience {
  /**
   * So long may a server say nothing before it is looked for anew: its endpoint file may tell of
   * another one by then.
   */
  static final long LOST_NS = TimeUnit.SECONDS.toNanos(5);

  private final int mostMisses;
  private int misses; // in a row
  private long firstNs; // of them

  Patience(int mostMisses) {
    this.mostMisses = mostMisses;
  }

  /** A deadline has passed without a reply. */
  void miss() {
    if (misses++ == 0) {
      firstNs = System.nanoTime();
    }
  }

  /** A reply has come, in time or late. */
  void renew() {
    misses = 0;
  }

  /** How many in a row. */
  int misses() {
    return misses;
  }

  /** Whether the next reply is waited for. */
  boolean isLeft() {
    return misses < mostMisses;
  }

  /** Whether there is none, and nothing has come for too long. */
  boolean isLost() {
    return !isLeft() && System.nanoTime() - firstNs >= LOST_NS;
  }
}
