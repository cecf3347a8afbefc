package park.sdk;

/** The policy shortest_queue of load_balance: the first of the servers with the fewest jobs. */
final class ShortestQueue implements Policy {
  ShortestQueue(Spec spec) {
    spec.observation().leaf("server.jobs"); // a clear error where it is another environment
    spec.action().leaf("server");
  }

  @Override
  public void act(Decisions question, Rows actions) {
    for (int row = 0; row < question.asked(); ++row) {
      double[] jobs = question.observation().doubles("server.jobs", row);
      int best = 0;
      for (int server = 1; server < jobs.length; ++server) {
        if (jobs[server] < jobs[best]) {
          best = server;
        }
      }
      actions.set("server", row, best);
    }
  }
}
