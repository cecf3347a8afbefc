package park.sdk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import park.sdk.wire.Wire;

/** Where a server died, the next one tells of itself in the same endpoint file. */
@Timeout(60)
class LostServerTest {
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final AskerOptions QUICK_RETRY =
      AskerOptions.DEFAULT.retry(Duration.ofMillis(20));
  private static final Rows FALLBACK = Shop.actions(1, 10, 2, 0.25);
  private static final int MANY = 1 << 20;
  private static final byte[] QUESTION = {1, 2, 3};

  /** Answers each message of a domain with the same bytes, or says nothing. */
  private static final class Echo extends ScriptedServer {
    private volatile boolean silent;

    Echo() {
      loop.start();
    }

    @Override
    public void work(ByteBuffer session, Wire.Envelope.Reader request) {
      long sequence = request.getSequence();
      table.finish(session, sequence, SessionTable.envelope(session, sequence, to -> {
        byte[] payload = request.getFamily().getPayload().toArray();
        to.initFamily().setPayload(payload);
      }));
    }

    @Override
    public void send(byte[] route, byte[] envelope) {
      if (!silent) {
        super.send(route, envelope);
      }
    }
  }

  @TempDir
  Path folder;

  private Path write(String endpoint) throws IOException {
    return Files.writeString(folder.resolve("endpoint"),
        "{\"schema\": \"park.endpoint\", \"endpoint\": \"" + endpoint + "\"}");
  }

  /** Where nobody listens. */
  private static String nowhere() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return "tcp://127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static FamilyLink link(Path file) {
    return FamilyLink.connect(file.toString(), "shop", QUICK_RETRY);
  }

  /** To a server whose replies are no answers while `flawed` says so. */
  private static FamilyLink link(Echo echo, AtomicBoolean flawed, Duration retry) {
    return FamilyLink.connect(echo.loop.endpoint(), "shop", AskerOptions.DEFAULT.retry(retry),
        payload -> flawed.get() ? "no answer" : "");
  }

  private static Asker asker(Path file) {
    Asker asker = Asker.connect(file.toString(), Shop.SPEC, QUICK_RETRY);
    asker.begin(0, new Episode(0, 0, 0), 0);
    return asker;
  }

  /** Answers as often as it is let. */
  private static PolicyServer policy(Semaphore let) {
    return PolicyServer.bind("tcp://127.0.0.1:*", "ten", spec -> (decisions, actions) -> {
      let.acquireUninterruptibly();
      actions.set("stage", 0, 1);
      actions.set("limit", 0, 10);
      actions.set("speed", 0, 2);
    });
  }

  private static Applied by(Asker asker) {
    return asker.ask(0, Shop.observation(1), 0, 0, SHORT, () -> FALLBACK).by();
  }

  private static void assertFound(FamilyLink link) throws InterruptedException {
    byte[] reply = null;
    for (long end = System.nanoTime() + LONG.toNanos();
        reply == null && System.nanoTime() < end; Thread.sleep(10)) {
      reply = link.ask(QUESTION, SHORT);
    }
    assertArrayEquals(QUESTION, reply, link.problem());
  }

  private static void assertFound(Asker asker) throws InterruptedException {
    Applied applied = Applied.FALLBACK;
    for (long end = System.nanoTime() + LONG.toNanos();
        applied == Applied.FALLBACK && System.nanoTime() < end; Thread.sleep(10)) {
      applied = by(asker);
    }
    assertEquals(Applied.POLICY, applied, asker.problem());
  }

  @Test
  void theFileOfAServerThatDiedBeforeIsReadAgain() throws Exception {
    Path file = write(nowhere());
    try (FamilyLink link = link(file);
        Asker asker = asker(file);
        Echo echo = new Echo();
        PolicyServer policy = policy(new Semaphore(MANY))) {
      assertNull(link.ask(QUESTION, SHORT));
      assertEquals(Applied.FALLBACK, by(asker));
      assertTrue(link.problem().startsWith("no server answers at"), link.problem());
      write(echo.loop.endpoint());
      assertFound(link);
      assertEquals(1, link.sessions());
      write(policy.endpoint());
      assertFound(asker);
    }
  }

  @Test
  void aServerThatSaysNothingMoreIsReplaced() throws Exception {
    try (Echo first = new Echo(); Echo second = new Echo();
        FamilyLink link = link(write(first.loop.endpoint()))) {
      assertFound(link);
      first.silent = true;
      for (int i = 0; i < AskerOptions.DEFAULT.mostMisses; ++i) {
        assertNull(link.ask(QUESTION, SHORT));
      }
      assertNull(link.ask(QUESTION, LONG));
      assertTrue(link.problem().startsWith("paused"), link.problem());
      write(second.loop.endpoint());
      assertFound(link);
      assertEquals(2, link.sessions());
    }
  }

  @Test
  void repliesWithoutAnAnswerAreMissesUntilThereIsOne() throws Exception {
    AtomicBoolean flawed = new AtomicBoolean(true);
    try (Echo echo = new Echo(); FamilyLink link = link(echo, flawed, LONG);
        FamilyLink eager = link(echo, flawed, Duration.ofMillis(20))) {
      for (int i = 0; i < AskerOptions.DEFAULT.mostMisses; ++i) {
        assertTrue(link.isPatient());
        assertNull(link.ask(QUESTION, LONG));
        assertEquals("no answer", link.problem());
        assertNull(eager.ask(QUESTION, LONG));
      }
      assertNull(link.ask(QUESTION, LONG));
      assertTrue(link.problem().startsWith("paused"), link.problem());
      flawed.set(false);
      assertFound(eager);
    }
  }

  @Test
  void lateRepliesWithoutAnAnswerDoNotRenewThePatience() throws Exception {
    AtomicBoolean flawed = new AtomicBoolean();
    try (Echo echo = new Echo(); FamilyLink link = link(echo, flawed, LONG)) {
      assertFound(link);
      flawed.set(true);
      for (int i = 0; i < AskerOptions.DEFAULT.mostMisses; ++i) {
        long late = link.late();
        assertNull(link.ask(QUESTION, Duration.ofNanos(1)));
        for (long end = System.nanoTime() + LONG.toNanos();
            link.late() == late && System.nanoTime() < end; Thread.sleep(1)) {
        }
      }
      assertTrue(!link.isPatient());
    }
  }

  @Test
  void aPolicyThatSaysNothingMoreIsReplaced() throws Exception {
    Semaphore let = new Semaphore(MANY); // on a busy machine some answers come too late
    try (PolicyServer first = policy(let);
        PolicyServer second = policy(new Semaphore(MANY));
        Asker asker = asker(write(first.endpoint()))) {
      assertFound(asker);
      let.drainPermits();
      write(second.endpoint());
      assertFound(asker);
      assertEquals(2, asker.answers());
      let.release(MANY); // so that it can be closed
    }
  }
}
