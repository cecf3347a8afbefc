package park.sdk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import park.sdk.wire.Wire;

class ClientSessionTest {
  /** What the server tells for 1, 2, ..., n. */
  private static List<Integer> sums(int n) {
    List<Integer> all = new ArrayList<>();
    long sum = 0;
    for (int i = 1; i <= n; ++i) {
      sum = 31 * sum + i;
      all.add((int) sum);
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void lostDoubledAndDelayedMessagesChangeNothing(int seed) {
    World world = new World(seed);
    world.lost = 0.2;
    world.doubled = 0.2;
    world.mostDelay = 300;
    world.opened();
    List<Integer> told = new ArrayList<>();
    Queue<ClientSession.Request> waiting = new ArrayDeque<>();
    for (int i = 1; i <= 100; ) {
      assertTrue(world.now < 600_000, "stuck after " + told.size() + " replies");
      if (world.client.pending() < 8 && waiting.size() < 8) {
        waiting.add(world.ask(i++));
      } else {
        world.pass(10);
      }
      while (!waiting.isEmpty() && waiting.peek().reply.isDone()) {
        told.add(World.told(waiting.poll()));
      }
    }
    world.pass(30_000);
    waiting.forEach(request -> told.add(World.told(request)));
    assertEquals(sums(100), told);
    assertEquals(100, world.done);
    assertTrue(world.client.repeated() > 10, "nothing was lost");
    assertEquals(1, world.table.size());
  }

  @Test
  void aHelloThatComesAgainOpensOneSession() {
    World world = new World(1);
    world.mostDelay = 400; // the welcome comes after several hellos
    world.pass(1000);
    assertTrue(world.client.isOpen());
    assertEquals(1, world.table.size());
    assertTrue(world.table.repeated() > 2);
  }

  @Test
  void hellosComeAfter5MsAndTwiceAsLongEachTime() {
    World world = new World(1);
    world.deaf = true;
    List<Long> at = new ArrayList<>();
    for (int i = 0; i < 10_000; ++i) {
      int before = world.sent.size();
      world.pass(1);
      if (world.sent.size() > before) {
        at.add(world.now - 1);
      }
    }
    assertEquals(List.of(0L, 5L, 15L, 35L, 75L, 155L, 315L, 635L, 1275L, 2555L, 4555L, 6555L,
        8555L), at);
  }

  @Test
  void requestsComeAgainAfter200MsTheSameBytesInTheirOrder() {
    World world = new World(1).opened();
    world.deaf = true;
    world.sent.clear();
    world.ask(1);
    world.ask(2);
    world.pass(4000);
    assertEquals(2 + 2 * 4, world.sent.size()); // after 200, 600, 1400 and 3000 ms
    for (int i = 0; i < world.sent.size(); ++i) {
      assertArrayEquals(world.sent.get(i % 2), world.sent.get(i));
    }
  }

  @Test
  void anIdleClientKeepsItsLease() {
    World world = new World(1, ServerOptions.DEFAULT.lease(Duration.ofMillis(300)), new byte[0]);
    world.opened().pass(10_000);
    assertTrue(world.client.isOpen());
    ClientSession.Request request = world.ask(1);
    world.pass(10);
    assertEquals(1, World.told(request));
  }

  @Test
  void aSilentClientLosesItsSession() {
    World world = new World(1, ServerOptions.DEFAULT.lease(Duration.ofMillis(300)), new byte[0]);
    world.opened();
    world.deaf = true;
    world.pass(500);
    assertEquals(0, world.table.size());
    assertEquals(1, world.ended);
    world.deaf = false;
    assertFalse(world.client.isOpen()); // the farewell told
    assertEquals(Code.SHUTTING_DOWN, world.client.over().code());
    assertEquals(Code.SHUTTING_DOWN,
        assertThrows(ParkException.class, () -> world.ask(1)).code());
  }

  @Test
  void aSessionThatIsOverFailsWhatIsWaitedFor() {
    World world = new World(1).opened();
    world.lost = 1; // the farewell too
    world.table.shutDown();
    world.lost = 0;
    ClientSession.Request request = world.ask(1);
    world.pass(10);
    assertEquals(Code.NO_SESSION, World.failed(request));
    assertEquals(Code.NO_SESSION, world.client.over().code());
  }

  @Test
  void aFullWindowAndALargeMessageAreNotSent() {
    World world = new World(1, ServerOptions.DEFAULT.mostBytes(1024), new byte[0]).opened();
    world.deaf = true;
    world.sent.clear();
    ParkException large = assertThrows(ParkException.class, () -> world.client.send(1000,
        to -> to.initOpenPolicy().setPolicy("x".repeat(1000)), world.now));
    assertEquals(Code.TOO_MUCH, large.code());
    for (int i = 1; i <= 8; ++i) {
      world.ask(i);
    }
    assertEquals(Code.TOO_MUCH, assertThrows(ParkException.class, () -> world.ask(9)).code());
    assertEquals(8, world.sent.size());
    world.deaf = false;
    world.pass(5000);
    ClientSession.Request next = world.ask(9);
    world.pass(10);
    assertEquals(sums(9).get(8), World.told(next));
  }

  @Test
  void whatIsNoneOfItsMessagesIsIgnored() {
    World world = new World(1).opened();
    world.deaf = true;
    ClientSession.Request request = world.ask(1);
    byte[] good = SessionTable.envelope(java.nio.ByteBuffer.wrap(ClientSession.randomKey()), 1,
        to -> to.initPolicyClosed().setId(7)); // of another session
    world.fromServer(good);
    for (int n = 0; n < good.length; ++n) {
      world.fromServer(java.util.Arrays.copyOf(good, n));
    }
    world.client.receive(new byte[] {1, 2, 3}, good, world.now);
    assertFalse(request.reply.isDone());
    assertEquals(good.length + 2, world.client.ignored());
    assertTrue(world.client.isOpen());
  }

  @Test
  void aReplyOfAnUnknownKindIsIgnored() {
    World world = new World(1).opened();
    world.deaf = true;
    ClientSession.Request request = world.ask(1);
    byte[] strange = request.bytes.clone(); // its session and number
    int union = 8 + 8 + 12; // segment table, root pointer, sequence and deadline
    strange[union] = 99;
    world.fromServer(strange);
    assertFalse(request.reply.isDone());
    assertEquals(Wire.Envelope.Which._NOT_IN_SCHEMA, Frame.read(strange).which());
  }

  @Test
  void refusalsAreTyped() {
    World world = new World(1, ServerOptions.DEFAULT.token(new byte[] {1, 2}), new byte[] {1, 3});
    world.pass(100);
    assertEquals(Code.NOT_ALLOWED, world.client.over().code());
    assertTrue(world.client.opened().isCompletedExceptionally());
    World allowed = new World(1, ServerOptions.DEFAULT.token(new byte[] {1, 2}),
        new byte[] {1, 2});
    allowed.opened();
    assertNull(allowed.client.over());
  }

  @Test
  void anotherMajorVersionIsUnsupported() {
    World world = new World(1);
    world.client.receive(new byte[] {'P', 'K', 'B', 2, 0, 0, 0, 0}, new byte[8], 0);
    assertEquals(Code.UNSUPPORTED, world.client.over().code());
    World open = new World(1).opened();
    open.client.receive(new byte[] {'P', 'K', 'B', 2, 0, 0, 0, 0}, new byte[8], 0);
    assertTrue(open.client.isOpen());
  }

  /** What becomes of a client whose hello is answered so. */
  private static ClientSession answered(byte[] session, long sequence,
      Consumer<Wire.Envelope.Builder> fill) {
    World world = new World(1);
    world.deaf = true;
    world.pass(1);
    world.fromServer(SessionTable.envelope(ByteBuffer.wrap(session), sequence, fill));
    return world.client;
  }

  @Test
  void aLimitOf0IsNamed() {
    Map<String, Consumer<Wire.Welcome.Builder>> changes = Map.of(
        "window", welcome -> welcome.setWindow(0), "leaseMs", welcome -> welcome.setLeaseMs(0),
        "mostBytes", welcome -> welcome.setMostBytes(0),
        "mostSlots", welcome -> welcome.setMostSlots(0),
        "heartbeatMs", welcome -> welcome.setHeartbeatMs(0));
    changes.forEach((name, change) -> {
      ClientSession client = answered(new byte[0], 0, to -> {
        Wire.Welcome.Builder welcome = to.initWelcome();
        welcome.setSession(ClientSession.randomKey());
        welcome.setWindow(8);
        welcome.setLeaseMs(1000);
        welcome.setMostBytes(1000);
        welcome.setMostSlots(1);
        welcome.setHeartbeatMs(100);
        change.accept(welcome);
      });
      assertEquals("welcome: " + name + " is 0, allowed is 1 or more", client.over().text());
      assertTrue(client.opened().isCompletedExceptionally());
    });
  }

  @Test
  void aHelloThatTheServerCannotReadEndsTheCall() {
    Consumer<Wire.Envelope.Builder> failure = to -> {
      Wire.Failure.Builder failed = to.initFailure();
      failed.setCode(Wire.Code.MALFORMED);
      failed.setText("envelope: \u001b]0;x\u0007 is none");
    };
    assertEquals("the server cannot read what this client sends: envelope: \\x1b]0;x\\x07 is none",
        inTheFourthRound(new World(1), new byte[0], 0, failure).text());
    assertEquals(Code.MALFORMED, inTheFourthRound(new World(1), new byte[0], 0, failure).code());
    assertNull(inTheFourthRound(new World(1), ClientSession.randomKey(), 0, failure));
    assertNull(inTheFourthRound(new World(1), new byte[0], 1, failure)); // of a request
    assertNull(inTheFourthRound(new World(1), new byte[0], 0, to -> to.initFailure()));
  }

  /** Why the session is over after four answers of a kind, and not after three. */
  private static ParkException inTheFourthRound(World world, byte[] session, long sequence,
      Consumer<Wire.Envelope.Builder> fill) {
    world.deaf = true;
    byte[] answer = SessionTable.envelope(ByteBuffer.wrap(session), sequence, fill);
    for (int round = 0; round < 4; ++round) {
      assertNull(world.client.over());
      world.pass(2100); // at least one repetition
      world.fromServer(answer);
      world.fromServer(answer); // twice in a round
    }
    return world.client.over();
  }

  @Test
  void aRequestThatTheServerCannotReadEndsInTheFourthRound() {
    Consumer<Wire.Envelope.Builder> failure =
        to -> to.initFailure().setCode(Wire.Code.MALFORMED);
    World world = new World(1).opened();
    world.deaf = true;
    ClientSession.Request request = world.ask(1);
    assertEquals(Code.MALFORMED, inTheFourthRound(world, new byte[0], 0, failure).code());
    assertEquals(Code.MALFORMED, World.failed(request));
    World idle = new World(1).opened();
    assertNull(inTheFourthRound(idle, new byte[0], 0, failure)); // nothing is waited for
    World damaged = new World(1).opened();
    damaged.deaf = true;
    ClientSession.Request again = damaged.ask(1);
    for (int round = 0; round < 3; ++round) {
      damaged.fromServer(SessionTable.envelope(ByteBuffer.wrap(new byte[0]), 0, failure));
      damaged.pass(1000);
    }
    damaged.deaf = false;
    damaged.pass(2000); // then it is read
    assertEquals(1, World.told(again));
  }

  @Test
  void closingSaysGoodbye() {
    World world = new World(1).opened();
    world.client.close(world.now);
    world.pass(10);
    assertEquals(0, world.table.size());
    assertEquals(1, world.ended);
  }
}
