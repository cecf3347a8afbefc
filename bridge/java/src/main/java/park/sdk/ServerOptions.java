package park.sdk;

import java.time.Duration;

/** What a server allows. Immutable: each method returns a changed copy. */
public final class ServerOptions {
  private static final int WINDOW = 8;
  private static final int HEARTBEATS_OF_LEASE = 6;

  /**
   * No token, a lease of 30 s, 64 MiB for a message, 4096 slots, 4096 sessions, of one connection
   * 64.
   */
  public static final ServerOptions DEFAULT =
      new ServerOptions(new byte[0], 30_000, 64L << 20, 4096, 4096, 64);

  final byte[] token;
  final long leaseMs;
  final long mostBytes;
  final int mostSlots;
  final int mostSessions;
  final int mostSessionsOfConnection;

  private ServerOptions(byte[] token, long leaseMs, long mostBytes, int mostSlots,
      int mostSessions, int mostSessionsOfConnection) {
    this.token = token;
    this.leaseMs = leaseMs;
    this.mostBytes = mostBytes;
    this.mostSlots = mostSlots;
    this.mostSessions = mostSessions;
    this.mostSessionsOfConnection = mostSessionsOfConnection;
  }

  /**
   * What every client has to bring.
   *
   * @param value the bytes; empty: nothing
   * @return the changed options
   */
  public ServerOptions token(byte[] value) {
    return new ServerOptions(value.clone(), leaseMs, mostBytes, mostSlots, mostSessions,
        mostSessionsOfConnection);
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
    return new ServerOptions(token, ms, mostBytes, mostSlots, mostSessions,
        mostSessionsOfConnection);
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
    return new ServerOptions(token, leaseMs, value, mostSlots, mostSessions,
        mostSessionsOfConnection);
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
    return new ServerOptions(token, leaseMs, mostBytes, value, mostSessions,
        mostSessionsOfConnection);
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
    return new ServerOptions(token, leaseMs, mostBytes, mostSlots, value,
        mostSessionsOfConnection);
  }

  /**
   * The most sessions that were opened over one connection.
   *
   * @param value 1 or more
   * @return the changed options
   */
  public ServerOptions mostSessionsOfConnection(int value) {
    if (value < 1) {
      throw invalid("mostSessionsOfConnection: " + value + ", allowed is 1 or more");
    }
    return new ServerOptions(token, leaseMs, mostBytes, mostSlots, mostSessions, value);
  }

  Limits limits() {
    return new Limits(WINDOW, leaseMs, Math.max(1, leaseMs / HEARTBEATS_OF_LEASE), mostBytes,
        mostSlots);
  }

  private static ParkException invalid(String text) {
    return new ParkException(Code.INVALID_CONFIG, text);
  }
}
