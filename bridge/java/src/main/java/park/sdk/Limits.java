package park.sdk;

import park.sdk.wire.Wire;

/** What a server allows its sessions, as welcome tells. */
final class Limits {
  private static final int MOST_WINDOW = 1024; // requests that a client keeps, whatever is allowed

  final int window;
  final long leaseMs;
  final long heartbeatMs;
  final long mostBytes;
  final int mostSlots;

  Limits(int window, long leaseMs, long heartbeatMs, long mostBytes, int mostSlots) {
    this.window = window;
    this.leaseMs = leaseMs;
    this.heartbeatMs = heartbeatMs;
    this.mostBytes = mostBytes;
    this.mostSlots = mostSlots;
  }

  /** Throws ParkException(MALFORMED) where a client could not work with them. */
  static Limits of(Wire.Welcome.Reader from) {
    long window = Integer.toUnsignedLong(from.getWindow());
    long slots = Integer.toUnsignedLong(from.getMostSlots());
    long lease = Integer.toUnsignedLong(from.getLeaseMs());
    if (window == 0 || slots == 0 || lease == 0 || from.getMostBytes() == 0) {
      throw ParkException.malformed("welcome: a limit of 0");
    }
    long heartbeat = Integer.toUnsignedLong(from.getHeartbeatMs());
    return new Limits((int) Math.min(window, MOST_WINDOW), lease, heartbeat,
        from.getMostBytes() < 0 ? Long.MAX_VALUE : from.getMostBytes(),
        (int) Math.min(slots, Integer.MAX_VALUE));
  }

  /** How long a client may be idle before it pings. */
  long pingMs() {
    long third = Math.max(1, leaseMs / 3);
    return heartbeatMs == 0 ? third : Math.min(heartbeatMs, third);
  }
}
