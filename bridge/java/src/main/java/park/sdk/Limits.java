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
    long window = named("window", Integer.toUnsignedLong(from.getWindow()));
    long slots = named("mostSlots", Integer.toUnsignedLong(from.getMostSlots()));
    long lease = named("leaseMs", Integer.toUnsignedLong(from.getLeaseMs()));
    long heartbeat = named("heartbeatMs", Integer.toUnsignedLong(from.getHeartbeatMs()));
    long bytes = named("mostBytes", from.getMostBytes());
    return new Limits((int) Math.min(window, MOST_WINDOW), lease, heartbeat,
        bytes < 0 ? Long.MAX_VALUE : bytes, (int) Math.min(slots, Integer.MAX_VALUE));
  }

  private static long named(String name, long limit) {
    if (limit == 0) {
      throw ParkException.malformed("welcome: " + name + " is 0, allowed is 1 or more");
    }
    return limit;
  }

  /** How long a client may be idle before it pings. */
  long pingMs() {
    return Math.min(heartbeatMs, Math.max(1, leaseMs / 3));
  }
}
