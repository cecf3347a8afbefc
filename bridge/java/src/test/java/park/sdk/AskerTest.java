package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AskerTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final AskerOptions QUICK_RETRY =
      AskerOptions.DEFAULT.retry(Duration.ofMillis(20));
  private static final Rows FALLBACK = Shop.actions(1, 10, 2, 0.25);

  /** Remembers what it is told; answers when it is let. */
  private static final class Listener implements Policy {
    final List<String> heard = new CopyOnWriteArrayList<>();
    final Semaphore let = new Semaphore(1 << 20);
    volatile int limit = 11;

    @Override
    public void start(int slot, Episode episode, long chance) {
      heard.add("start " + slot + " " + episode.id() + " " + chance);
    }

    @Override
    public void act(Decisions d, Rows actions) {
      let.acquireUninterruptibly();
      if (limit < 0) {
        throw new ParkException(Code.ENVIRONMENT_FAILED, "not now");
      }
      for (Ended e : d.ended()) {
        heard.add("end " + e.slot() + " " + e.decisions() + " " + e.last().reward() + " "
            + e.last().applied() + " " + e.truncated() + " " + e.metric("cost"));
      }
      Outcome o = d.since(0);
      heard.add("ask " + d.slot(0) + " " + d.sequence(0) + " " + o.reward() + " " + o.elapsedS()
          + " " + o.applied() + " " + o.skipped());
      actions.set("stage", 0, 1);
      actions.set("limit", 0, limit);
      actions.set("speed", 0, 2);
    }
  }

  private final Listener policy = new Listener();

  private PolicyServer server(String endpoint) {
    return PolicyServer.bind(endpoint, "listener", spec -> policy);
  }

  private static Decision ask(Asker asker, int slot, double reward, Duration deadline) {
    return asker.ask(slot, Shop.observation(1), reward, 1, deadline, () -> FALLBACK);
  }

  private static void awaitLate(Asker asker, int n) throws InterruptedException {
    while (asker.late() < n) {
      Thread.sleep(1);
    }
  }

  @Test
  void thePolicyHearsWhatHappens() throws Exception {
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(3, new Episode(7, 8, 9), 42);
      Decision decision = ask(asker, 3, 0, LONG);
      assertEquals(Applied.POLICY, decision.by());
      assertEquals(11, decision.actions().get("limit", 0));
      assertEquals("", decision.why());
      ask(asker, 3, -2, LONG);
      asker.end(3, Shop.observation(1), -4, 1, true, 5.5);
      asker.begin(3, new Episode(8, 8, 9), 43);
      ask(asker, 3, 0, LONG);
      assertEquals(List.of("start 3 7 42", "ask 3 0 0.0 1.0 POLICY 0", "ask 3 1 -2.0 1.0 POLICY 0",
          "start 3 8 43", "end 3 2 -4.0 POLICY true 5.5", "ask 3 0 0.0 1.0 POLICY 0"),
          policy.heard);
      assertEquals(3, asker.answers());
      assertEquals(0, asker.fallbacks() + asker.late());
    }
  }

  @Test
  void aLateAnswerIsDroppedAndCounted() throws Exception {
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(0, 0, 0), 0);
      policy.let.drainPermits();
      long begin = System.nanoTime();
      Decision decision = ask(asker, 0, 0, SHORT);
      long tookMs = (System.nanoTime() - begin) / 1_000_000;
      assertTrue(tookMs >= 200 && tookMs < 5000, "took " + tookMs + " ms");
      assertEquals(Applied.FALLBACK, decision.by());
      assertSame(FALLBACK, decision.actions());
      assertTrue(decision.why().startsWith("late"), decision.why());
      policy.let.release(1 << 20);
      awaitLate(asker, 1);
      Decision next = ask(asker, 0, -1, LONG);
      assertEquals(Applied.POLICY, next.by());
      assertEquals("ask 0 1 -1.0 1.0 FALLBACK 0", policy.heard.get(2)); // it saw both
      assertEquals(1, asker.late());
      assertEquals(1, asker.fallbacks());
    }
  }

  @Test
  void afterMissesItWaitsNoMoreUntilAnAnswerComes() throws Exception {
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(0, 0, 0), 0);
      policy.let.drainPermits();
      for (int i = 0; i < 3; ++i) {
        assertTrue(ask(asker, 0, 0, SHORT).why().startsWith("late"));
      }
      long begin = System.nanoTime();
      for (int i = 0; i < 20; ++i) {
        assertTrue(ask(asker, 0, -1, LONG).why().startsWith("paused"));
      }
      assertTrue(System.nanoTime() - begin < LONG.toNanos() / 2);
      policy.let.release(1 << 20);
      awaitLate(asker, 1);
      Thread.sleep(500); // the server has not asked the second and the third, and says so
      assertEquals(Applied.POLICY, ask(asker, 0, -1, LONG).by());
      assertEquals(List.of("start 0 0 0", "ask 0 0 0.0 1.0 POLICY 0", "start 0 0 0",
          "ask 0 0 -21.0 21.0 FALLBACK 20"), policy.heard); // nobody was sent 20 of them
      assertEquals(1, asker.late());
      assertEquals(23, asker.fallbacks());
    }
  }

  @Test
  void aServerThatComesBackIsAskedAgain() throws Exception {
    PolicyServer first = server("tcp://127.0.0.1:*");
    String endpoint = first.endpoint();
    try (Asker asker = Asker.connect(endpoint, Shop.SPEC, QUICK_RETRY)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(5, 0, 0), 1);
      assertEquals(Applied.POLICY, ask(asker, 0, 0, LONG).by());
      first.close();
      for (int i = 0; i < 5; ++i) {
        assertEquals(Applied.FALLBACK, ask(asker, 0, 0, SHORT).by());
      }
      try (PolicyServer second = server(endpoint)) {
        assertTrue(asker.ready(LONG), asker.problem());
        assertEquals(Applied.POLICY, ask(asker, 0, -3, LONG).by());
        assertEquals(List.of("start 0 5 1", "ask 0 0 -3.0 6.0 FALLBACK 5"),
            policy.heard.subList(2, 4)); // it begins again
      }
    }
  }

  @Test
  void withoutAServerTheFallbackDecides() throws Exception {
    try (Asker asker = Asker.connect("tcp://127.0.0.1:9", Shop.SPEC, QUICK_RETRY)) {
      assertFalse(asker.ready(SHORT));
      asker.begin(0, new Episode(0, 0, 0), 0);
      long begin = System.nanoTime();
      for (int i = 0; i < 100; ++i) {
        assertEquals(Applied.FALLBACK, ask(asker, 0, 0, SHORT).by());
      }
      assertTrue(System.nanoTime() - begin < 4 * SHORT.toNanos() + LONG.toNanos() / 10);
      assertEquals(100, asker.fallbacks());
      assertTrue(asker.problem().contains("no server"), asker.problem());
    }
  }

  @Test
  void anIllegalAnswerIsNotTaken() throws Exception {
    policy.limit = 9; // of the job of stage 1: 10 to 20
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(0, 0, 0), 0);
      Decision decision = ask(asker, 0, 0, LONG);
      assertEquals(Applied.FALLBACK, decision.by());
      assertTrue(decision.why().startsWith("illegalAction: limit"), decision.why());
      policy.limit = 11;
      assertEquals(Applied.POLICY, ask(asker, 0, 0, LONG).by());
      assertEquals("ask 0 1 0.0 1.0 FALLBACK 0", policy.heard.get(2));
    }
  }

  @Test
  void afterAQuestionThatFailedTheContextBeginsAnew() throws Exception {
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(5, 0, 0), 1);
      ask(asker, 0, 0, LONG);
      policy.limit = -1;
      Decision failed = ask(asker, 0, -1, LONG);
      assertEquals(Applied.FALLBACK, failed.by());
      assertTrue(failed.why().contains("not now"), failed.why());
      policy.limit = 11;
      assertEquals(Applied.POLICY, ask(asker, 0, -1, LONG).by());
      assertEquals(List.of("start 0 5 1", "ask 0 0 -1.0 1.0 FALLBACK 0"),
          policy.heard.subList(2, 4));
      assertEquals(Applied.POLICY, ask(asker, 0, -1, LONG).by());
    }
  }

  @Test
  void anInterruptedThreadGetsTheFallbackAndKeepsItsState() throws Exception {
    try (PolicyServer server = server("tcp://127.0.0.1:*");
        Asker asker = Asker.connect(server.endpoint(), Shop.SPEC, AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(LONG));
      asker.begin(0, new Episode(0, 0, 0), 0);
      policy.let.drainPermits();
      Thread.currentThread().interrupt();
      assertEquals(Applied.FALLBACK, ask(asker, 0, 0, LONG).by());
      assertTrue(Thread.interrupted());
      policy.let.release(1 << 20);
      assertEquals(Applied.POLICY, ask(asker, 0, 0, LONG).by());
    }
  }

  @Test
  void misuseIsTold() {
    try (Asker asker = Asker.connect("tcp://127.0.0.1:9", Shop.SPEC, AskerOptions.DEFAULT)) {
      assertEquals(Code.OUT_OF_ORDER,
          assertThrows(ParkException.class, () -> ask(asker, 0, 0, SHORT)).code());
      asker.begin(0, new Episode(0, 0, 0), 0);
      assertThrows(ParkException.class, () -> ask(asker, 0, Double.NaN, SHORT));
      assertThrows(ParkException.class, () -> asker.ask(0, Shop.observation(2), 0, 0, SHORT,
          () -> FALLBACK));
    }
  }
}
