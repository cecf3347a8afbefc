package park.sdk;

import java.nio.file.Path;
import java.time.Duration;

/** How a client talks to a server. Immutable: each method returns a changed copy. */
public final class ClientOptions {
  /** The defaults: no token, a name of this library, a minute for every reply. */
  public static final ClientOptions DEFAULT = new ClientOptions(
      "park-client 0.1.0 (Java " + System.getProperty("java.version") + ")",
      new byte[0], Duration.ofSeconds(60), null);

  final String name;
  final byte[] token;
  final Duration timeout;
  final CurveKeys keys; // null: none

  private ClientOptions(String name, byte[] token, Duration timeout, CurveKeys keys) {
    this.name = name;
    this.token = token;
    this.timeout = timeout;
    this.keys = keys;
  }

  /**
   * The name of the program, for the people who run the server.
   *
   * @param value any text
   * @return the changed options
   */
  public ClientOptions name(String value) {
    return new ClientOptions(value, token, timeout, keys);
  }

  /**
   * What the server wants to see before it opens a session.
   *
   * @param value the bytes; empty: those of the endpoint file, where there is one
   * @return the changed options
   */
  public ClientOptions token(byte[] value) {
    return new ClientOptions(name, value.clone(), timeout, keys);
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
    return new ClientOptions(name, token, value, keys);
  }

  /**
   * The client's keys, for a server whose endpoint file tells a key. It is read at once.
   *
   * @param path of a file of {@code park key}
   * @return the changed options
   */
  public ClientOptions keyFile(String path) {
    return new ClientOptions(name, token, timeout, CurveKeys.read(Path.of(path)));
  }
}
