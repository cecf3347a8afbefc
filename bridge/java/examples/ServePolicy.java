import java.util.concurrent.CountDownLatch;
import park.sdk.Decisions;
import park.sdk.Policy;
import park.sdk.PolicyServer;
import park.sdk.Rows;
import park.sdk.Spec;

/**
 * Serves a policy of load_balance until Ctrl-C: each job goes to the server that completes it
 * first. Prints where it listens; then
 *
 * <pre>park run load_balance --policy 'least_work,remote(endpoint=tcp://127.0.0.1:PORT)'</pre>
 *
 * compares it. Run with
 *
 * <pre>java -cp 'park-client.jar:lib/*' ServePolicy.java</pre>
 */
public final class ServePolicy implements Policy {
  private ServePolicy(Spec spec) {
    spec.observation().leaf("server.drain_s"); // one clear error for another environment
    spec.observation().leaf("server.rate");
    spec.observation().leaf("job.size");
    spec.action().leaf("server");
  }

  public static void main(String[] args) throws InterruptedException {
    PolicyServer server = PolicyServer.bind("tcp://127.0.0.1:*", "first_done", ServePolicy::new);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close)); // tells the clients
    System.out.println("ready " + server.endpoint());
    new CountDownLatch(1).await();
  }

  @Override
  public void act(Decisions question, Rows actions) {
    Rows seen = question.observation();
    for (int row = 0; row < question.asked(); ++row) {
      double[] drain = seen.doubles("server.drain_s", row);
      double[] rate = seen.doubles("server.rate", row);
      double size = seen.doubles("job.size", row)[0];
      int best = 0;
      for (int i = 1; i < drain.length; ++i) {
        if (drain[i] + size / rate[i] < drain[best] + size / rate[best]) {
          best = i;
        }
      }
      actions.set("server", row, best);
    }
  }
}
