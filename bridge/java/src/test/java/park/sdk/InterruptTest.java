package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import park.sdk.wire.Wire;

/** What Thread.interrupt does: it ends a wait and harms neither the session nor the socket. */
@Timeout(60)
class InterruptTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private static void openPolicy(Wire.Envelope.Builder to) {
    SpecCodec.write(Shop.SPEC, to.initOpenPolicy().initSpec());
  }

  /** Makes a policy when it is let. */
  private static Policy slow(Semaphore let) {
    let.acquireUninterruptibly();
    return (question, actions) -> { };
  }

  @Test
  void aWaitEndsAndItsReplyMayBeWaitedForAgain() throws Exception {
    Semaphore let = new Semaphore(0);
    try (PolicyServer server =
            PolicyServer.bind("tcp://127.0.0.1:*", "slow", spec -> slow(let));
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      ClientSession.Request request = connection.send(LONG, InterruptTest::openPolicy);
      Thread waiting = Thread.currentThread();
      Thread other = new Thread(() -> {
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
          Thread.onSpinWait();
        }
        waiting.interrupt();
      });
      other.start();
      assertThrows(InterruptedException.class, () -> connection.await(request, LONG));
      other.join();
      let.release();
      assertEquals(1, connection.await(request, LONG).getPolicyOpened().getId());
    }
  }

  @Test
  void interruptsAtAnyMomentHarmNoSession() throws Exception {
    try (PolicyServer server = PolicyServer.bind("tcp://127.0.0.1:*", "quick",
            spec -> (question, actions) -> { });
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      AtomicBoolean stop = new AtomicBoolean();
      Thread caller = Thread.currentThread();
      Thread nuisance = new Thread(() -> {
        while (!stop.get()) {
          caller.interrupt();
          Thread.onSpinWait();
        }
      });
      nuisance.start();
      int interrupted = 0;
      for (int i = 0; i < 500; ++i) {
        ClientSession.Request request = connection.send(LONG, to -> to.initAsk().setId(99));
        for (boolean done = false; !done; ) {
          try {
            connection.await(request, LONG);
          } catch (InterruptedException e) {
            ++interrupted;
          } catch (ParkException e) {
            assertEquals(Code.UNKNOWN_NAME, e.code());
            done = true;
          }
        }
      }
      stop.set(true);
      while (nuisance.isAlive()) { // join would be interrupted
        Thread.onSpinWait();
      }
      Thread.interrupted();
      assertTrue(interrupted > 100, "interrupted " + interrupted);
      connection.call(LONG, InterruptTest::openPolicy);
    }
  }

  @Test
  void anInterruptedThreadMayConnectAndClose() throws Exception {
    try (PolicyServer server =
        PolicyServer.bind("tcp://127.0.0.1:*", "quick", spec -> null)) {
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> Client.connect(server.endpoint()));
      Client client = Client.connect(server.endpoint());
      Thread.currentThread().interrupt();
      client.close();
      assertTrue(Thread.interrupted());
      Thread.currentThread().interrupt();
      PolicyServer second = PolicyServer.bind("tcp://127.0.0.1:*", "other", spec -> null);
      second.close();
      assertTrue(Thread.interrupted());
      Client.connect(server.endpoint()).close();
    }
  }

  @Test
  void everyThreadIsADaemonAndEndsAfterClose() throws Exception {
    Set<Thread> before = threads();
    PolicyServer server = PolicyServer.bind("tcp://127.0.0.1:*", "quick",
        spec -> (question, actions) -> { });
    Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT);
    connection.call(LONG, InterruptTest::openPolicy);
    Set<Thread> ours = threads();
    ours.removeAll(before);
    assertTrue(ours.size() >= 3, "threads: " + ours);
    ours.forEach(thread -> assertTrue(thread.isDaemon(), thread.getName()));
    connection.close();
    server.close();
    for (Thread thread : ours) {
      thread.join(5000);
      assertFalse(thread.isAlive(), thread.getName());
    }
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }
}
