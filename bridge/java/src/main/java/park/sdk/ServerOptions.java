package park.sdk;

import java.time.Duration;

/** What a server allows. Immutable: each method returns a changed copy. */
public final class ServerOptions {
  private static final int WINDOW = 8;
  private static final int HEARTBEATS_OF_LEASE = 6;

  /** No token, a lease of 30 s, 64 MiB for a message, 4096 slots, 4096 sessions. */
  public static final ServerOptions DEFAULT =
      new ServerOptions(new byte[0], 30_000, 64L << 20, 4096, 4096);

  final byte[] token;
  final long leaseMs;
  final long mostBytes;
  final int mostSlots;
  final int mostSessions;

  private ServerOptions(byte[] token, long leaseMs, long mostBytes, int mostSlots,
      int mostSessions) {
    this.token = token;
    this.leaseMs = leaseMs;
    this.mostBytes = mostBytes;
    this.mostSlots = mostSlots;
    this.mostSessions = mostSessions;
  }

  /**
   * What every client has to bring.
   *
   * @param value the bytes; empty: nothing
   * @return the changed options
   */
  public ServerOptions token(byte[] value) {
    return new ServerOptions(value.clone(), leaseMs, mostBytes, mostSlots, mostSessions);
  }

  /**
   * After how long a silent client is forgotten.
   *
   * @param value 10 ms to 49 days
   * @return the changed options
   */
  public ServerOptions lease(Duration value) {
    long ms = value.toMillis();
    if (ms < 10 || ms > 0xffffffffL) {
      throw invalid("lease: " + ms + " ms, allowed is 10 to 4294967295");
    }
    return new ServerOptions(token, ms, mostBytes, mostSlots, mostSessions);
  }

  /**
   * The largest message in either direction.
   *
   * @param value in bytes, 1024 or more
   * @return the changed options
   */
  public ServerOptions mostBytes(long value) {
    if (value < 1024) {
      throw invalid("mostBytes: " + value + ", allowed is 1024 or more");
    }
    return new ServerOptions(token, leaseMs, value, mostSlots, mostSessions);
  }

  /**
   * The most contexts of a session's policies at once.
   *
   * @param value 1 or more
   * @return the changed options
   */
  public ServerOptions mostSlots(int value) {
    if (value < 1) {
      throw invalid("mostSlots: " + value + ", allowed is 1 or more");
    }
    return new ServerOptions(token, leaseMs, mostBytes, value, mostSessions);
  }

  /**
   * The most sessions at once.
   *
   * @param value 1 or more
   * @return the changed options
   */
  public ServerOptions mostSessions(int value) {
    if (value < 1) {
      throw invalid("mostSessions: " + value + ", allowed is 1 or more");
    }
    return new ServerOptions(token, leaseMs, mostBytes, mostSlots, value);
  }

  Limits limits() {
    return new Limits(WINDOW, leaseMs, Math.max(1, leaseMs / HEARTBEATS_OF_LEASE), mostBytes,
        mostSlots);
  }

  private static ParkException invalid(String text) {
    return new ParkException(Code.INVALID_CONFIG, text);
  }
}
