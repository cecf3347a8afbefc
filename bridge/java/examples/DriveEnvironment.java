import park.sdk.Client;
import park.sdk.Decisions;
import park.sdk.Ended;
import park.sdk.Environment;
import park.sdk.Episodes;
import park.sdk.Rows;

/**
 * Plays load_balance on a server (park serve load_balance): each job goes to the server with the
 * least work. Prints a line per episode.
 *
 * <pre>java -cp 'park-client.jar:lib/*' DriveEnvironment.java tcp://127.0.0.1:5555</pre>
 */
public final class DriveEnvironment {
  private static final int EPISODES = 3;

  private DriveEnvironment() {}

  public static void main(String[] args) throws InterruptedException {
    try (Client client = Client.connect(args[0]);
        Environment env =
            client.open("load_balance(servers=4,jobs=100)", Episodes.seeded(1, EPISODES))) {
      Decisions now = env.decisions();
      while (!now.done()) {
        Rows actions = env.newActions();
        for (int row = 0; row < now.asked(); ++row) {
          double[] work = now.observation().doubles("server.work", row);
          actions.set("server", row, least(work));
        }
        now = env.step(actions);
        for (Ended ended : now.ended()) {
          System.out.printf("episode %d: %d decisions, avg_response_s %.1f s%n",
              ended.episode().id(), ended.decisions(), ended.metric("avg_response_s"));
        }
      }
    }
  }

  private static int least(double[] values) {
    int best = 0;
    for (int i = 1; i < values.length; ++i) {
      if (values[i] < values[best]) {
        best = i;
      }
    }
    return best;
  }
}
