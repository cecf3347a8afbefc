package park.sdk;

import java.time.Duration;

/**
 * A session with a server of environments. Thread-safe; each environment is for one thread at a
 * time. Its own thread is a daemon: it keeps no program alive.
 *
 * <p>A thread that waits in a call may be interrupted: the call ends with InterruptedException,
 * the session goes on.
 */
public final class Client implements AutoCloseable {
  private final Connection connection;
  private final Duration timeout;

  private Client(Connection connection, Duration timeout) {
    this.connection = connection;
    this.timeout = timeout;
  }

  /**
   * Opens a session with the default options.
   *
   * @param endpoint of the server, {@code tcp://HOST:PORT}, or the path of its endpoint file
   * @return the session
   * @throws InterruptedException where the thread is interrupted
   */
  public static Client connect(String endpoint) throws InterruptedException {
    return connect(endpoint, ClientOptions.DEFAULT);
  }

  /**
   * Opens a session. Throws ParkException(LATE) where no server answers in time, and what the
   * server refuses with.
   *
   * @param endpoint of the server, {@code tcp://HOST:PORT}, or the path of its endpoint file
   * @param options name, token, the longest wait
   * @return the session
   * @throws InterruptedException where the thread is interrupted
   */
  public static Client connect(String endpoint, ClientOptions options)
      throws InterruptedException {
    return new Client(Connection.open(endpoint, options), options.timeout);
  }

  /**
   * Opens an environment with the default options.
   *
   * @param env its text, such as {@code load_balance(servers=4)}; empty: the server's only one
   * @param episodes what it plays
   * @return the environment, with its first question
   * @throws InterruptedException where the thread is interrupted
   */
  public Environment open(String env, Episodes episodes) throws InterruptedException {
    return open(env, episodes, EnvironmentOptions.DEFAULT);
  }

  /**
   * Opens an environment.
   *
   * @param env its text, such as {@code load_balance(servers=4)}; empty: the server's only one
   * @param episodes what it plays
   * @param options slots and what becomes of illegal actions
   * @return the environment, with its first question
   * @throws InterruptedException where the thread is interrupted
   */
  public Environment open(String env, Episodes episodes, EnvironmentOptions options)
      throws InterruptedException {
    return new Environment(connection, timeout, env, episodes, options);
  }

  /**
   * Messages that were sent again because no reply had come.
   *
   * @return since the session began
   */
  public long repeated() {
    return connection.repeated();
  }

  /** Ends the session; the server frees what it has of it. */
  @Override
  public void close() {
    connection.close();
  }
}
