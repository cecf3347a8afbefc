package park.sdk;

import java.time.Duration;

/** How an asker talks to a policy. Immutable: each method returns a changed copy. */
public final class AskerOptions {
  /** The server's only policy; a pause after 3 misses; a second between attempts to connect. */
  public static final AskerOptions DEFAULT =
      new AskerOptions(ClientOptions.DEFAULT, "", 3, Duration.ofSeconds(1));

  final ClientOptions client;
  final String policy;
  final int mostMisses;
  final Duration retry;

  private AskerOptions(ClientOptions client, String policy, int mostMisses, Duration retry) {
    this.client = client;
    this.policy = policy;
    this.mostMisses = mostMisses;
    this.retry = retry;
  }

  /**
   * Name and token; its timeout is not used.
   *
   * @param value the options
   * @return the changed options
   */
  public AskerOptions client(ClientOptions value) {
    return new AskerOptions(value, policy, mostMisses, retry);
  }

  /**
   * Which policy is asked.
   *
   * @param value its text; empty: the server's only one
   * @return the changed options
   */
  public AskerOptions policy(String value) {
    return new AskerOptions(client, value, mostMisses, retry);
  }

  /**
   * After how many misses in a row the asker waits no more, until an answer has come.
   *
   * @param value 1 or more
   * @return the changed options
   */
  public AskerOptions mostMisses(int value) {
    if (value < 1) {
      throw new ParkException(Code.INVALID_CONFIG,
          "mostMisses: " + value + ", allowed is 1 or more");
    }
    return new AskerOptions(client, policy, value, retry);
  }

  /**
   * The least time between two attempts to open a session.
   *
   * @param value 0 or more
   * @return the changed options
   */
  public AskerOptions retry(Duration value) {
    if (value.isNegative()) {
      throw new ParkException(Code.INVALID_CONFIG, "retry: must be 0 or more");
    }
    return new AskerOptions(client, policy, mostMisses, value);
  }
}
