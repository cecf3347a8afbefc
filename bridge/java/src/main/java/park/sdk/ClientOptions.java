package park.sdk;

import java.time.Duration;

/** How a client talks to a server. Immutable: each method returns a changed copy. */
public final class ClientOptions {
  /** The defaults: no token, a name of this library, a minute for every reply. */
  public static final ClientOptions DEFAULT = new ClientOptions(
      "park-client 0.1.0 (Java " + System.getProperty("java.version") + ")",
      new byte[0], Duration.ofSeconds(60));

  final String name;
  final byte[] token;
  final Duration timeout;

  private ClientOptions(String name, byte[] token, Duration timeout) {
    this.name = name;
    this.token = token;
    this.timeout = timeout;
  }

  /**
   * The name of the program, for the people who run the server.
   *
   * @param value any text
   * @return the changed options
   */
  public ClientOptions name(String value) {
    return new ClientOptions(value, token, timeout);
  }

  /**
   * What the server wants to see before it opens a session.
   *
   * @param value the bytes; empty: those of the endpoint file, where there is one
   * @return the changed options
   */
  public ClientOptions token(byte[] value) {
    return new ClientOptions(name, value.clone(), timeout);
  }

  /**
   * The longest wait for a reply, where a call gives no other.
   *
   * @param value above 0
   * @return the changed options
   */
  public ClientOptions timeout(Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new ParkException(Code.INVALID_CONFIG, "timeout: must be above 0");
    }
    return new ClientOptions(name, token, value);
  }
}
