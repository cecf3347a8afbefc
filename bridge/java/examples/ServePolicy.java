import java.util.concurrent.CountDownLatch;
import park.sdk.Decisions;
import park.sdk.Policy;
import park.sdk.PolicyServer;
import park.sdk.Rows;
import park.sdk.Spec;

/**
 * Serves a policy of load_balance until Ctrl-C: each job goes to the server that has done its work
 * first. Prints where it listens; then
 *
 * <pre>park run load_balance --policy 'shortest_queue,remote(endpoint=tcp://127.0.0.1:PORT)'</pre>
 *
 * compares it. Run with
 *
 * <pre>java -cp 'park-client.jar:lib/*' ServePolicy.java</pre>
 */
public final class ServePolicy implements Policy {
  private ServePolicy(Spec spec) {
    spec.observation().leaf("server.drain_s"); // one clear error for another environment
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
    for (int row = 0; row < question.asked(); ++row) {
      double[] drain = question.observation().doubles("server.drain_s", row);
      int best = 0;
      for (int i = 1; i < drain.length; ++i) {
        if (drain[i] < drain[best]) {
          best = i;
        }
      }
      actions.set("server", row, best);
    }
  }
}
