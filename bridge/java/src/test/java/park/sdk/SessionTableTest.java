package park.sdk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.capnproto.Void;
import org.junit.jupiter.api.Test;
import park.sdk.wire.Wire;

/** The server's side, message by message. */
class SessionTableTest implements SessionTable.Calls {
  private static final byte[] ROUTE = {1};
  private static final byte[] OTHER_ROUTE = {2};

  private final List<byte[]> sent = new ArrayList<>();
  private final List<byte[]> routes = new ArrayList<>();
  private final List<Long> worked = new ArrayList<>();
  private int ended;
  private SessionTable table = new SessionTable(
      ServerOptions.DEFAULT.lease(Duration.ofSeconds(1)), "test", this);

  @Override
  public void send(byte[] route, byte[] envelope) {
    routes.add(route);
    sent.add(envelope);
  }

  @Override
  public void work(ByteBuffer session, Wire.Envelope.Reader request) {
    worked.add(request.getSequence());
  }

  @Override
  public void ended(ByteBuffer session) {
    ++ended;
  }

  private void receive(byte[] envelope, long now) {
    table.receive(ROUTE, List.of(Frame.preamble(), envelope), now);
  }

  private Wire.Envelope.Reader last() {
    return Frame.read(sent.get(sent.size() - 1));
  }

  private static byte[] hello(int least, int most, byte[] nonce) {
    return Frame.write(envelope -> {
      Wire.Hello.Builder hello = envelope.initHello();
      hello.setLeastMinor((short) least);
      hello.setMostMinor((short) most);
      hello.setNonce(nonce);
    });
  }

  private byte[] open() {
    receive(hello(0, 3, ClientSession.randomKey()), 0);
    return last().getWelcome().getSession().toArray();
  }

  private static byte[] message(byte[] key, long sequence, Consumer<Wire.Envelope.Builder> fill) {
    return SessionTable.envelope(ByteBuffer.wrap(key), sequence, fill);
  }

  private static byte[] request(byte[] key, long sequence) {
    return message(key, sequence, to -> to.initClosePolicy().setId(1));
  }

  private void finish(byte[] key, long sequence) {
    table.finish(ByteBuffer.wrap(key), sequence,
        message(key, sequence, to -> to.initPolicyClosed().setId(1)));
  }

  @Test
  void welcomeTellsTheLimits() {
    open();
    Wire.Welcome.Reader welcome = last().getWelcome();
    assertEquals(8, welcome.getWindow());
    assertEquals(1000, welcome.getLeaseMs());
    assertEquals(64 << 20, welcome.getMostBytes());
    assertEquals(256, welcome.getMostSessionMib());
    assertEquals(1024, welcome.getMostServerMib());
    assertEquals(0, welcome.getMinor());
  }

  @Test
  void eachRequestCountsOnceAndInItsOrder() {
    byte[] key = open();
    receive(request(key, 2), 0); // its predecessor is missing
    assertEquals(List.of(), worked);
    receive(request(key, 1), 0);
    receive(request(key, 1), 0); // is being worked on
    receive(request(key, 2), 0);
    assertEquals(List.of(1L, 2L), worked);
    finish(key, 1);
    byte[] reply = sent.get(sent.size() - 1);
    receive(request(key, 1), 0);
    assertEquals(List.of(1L, 2L), worked);
    assertArrayEquals(reply, sent.get(sent.size() - 1));
  }

  @Test
  void numbersOutsideOfTheWindowAreOutOfOrder() {
    byte[] key = open();
    for (long s = 1; s <= 20; ++s) {
      receive(request(key, s), 0);
      finish(key, s);
    }
    int before = sent.size();
    receive(request(key, 13), 0); // its reply is kept
    assertTrue(last().isPolicyClosed());
    for (long wrong : new long[] {0, 12, 29, -1}) {
      receive(request(key, wrong), 0);
      assertEquals(Wire.Code.OUT_OF_ORDER, last().getFailure().getCode());
      assertEquals(wrong, last().getSequence());
    }
    assertEquals(before + 5, sent.size());
    assertEquals(20, worked.size());
  }

  @Test
  void aFullWindowIsTooMuch() {
    byte[] key = open();
    for (long s = 1; s <= 9; ++s) {
      receive(request(key, s), 0);
    }
    assertEquals(8, worked.size());
    assertEquals(Wire.Code.TOO_MUCH, last().getFailure().getCode());
  }

  @Test
  void aPingKeepsTheLeaseAndIsAnsweredWhereItCameFrom() {
    byte[] key = open();
    byte[] ping = message(key, 77, to -> to.setPing(Void.VOID));
    table.receive(OTHER_ROUTE, List.of(Frame.preamble(), ping), 900);
    assertTrue(last().isPong());
    assertEquals(77, last().getSequence());
    assertArrayEquals(OTHER_ROUTE, routes.get(routes.size() - 1));
    assertEquals(1900, table.expire(1000));
    assertEquals(1, table.size());
    receive(request(key, 1), 1000);
    finish(key, 1);
    assertArrayEquals(ROUTE, routes.get(routes.size() - 1));
  }

  @Test
  void afterItsEndASessionIsNone() {
    byte[] key = open();
    table.expire(1000);
    assertTrue(last().isFarewell());
    assertEquals(1, ended);
    receive(request(key, 1), 1001);
    assertEquals(Wire.Code.NO_SESSION, last().getFailure().getCode());
    finish(key, 1); // of work that goes on is nothing to be sent
    byte[] second = open();
    assertNotEquals(ByteBuffer.wrap(key), ByteBuffer.wrap(second));
    receive(message(second, 0, to -> to.setGoodbye(Void.VOID)), 0);
    assertTrue(last().isFarewell());
    assertEquals(2, ended);
  }

  @Test
  void helloIsRefusedWhereItCannotBeWelcome() {
    byte[] nonce = ClientSession.randomKey();
    receive(hello(1, 2, nonce), 0);
    assertEquals(Wire.Code.UNSUPPORTED, last().getRefused().getCode());
    receive(hello(0, 0, new byte[15]), 0);
    assertEquals(Wire.Code.MALFORMED, last().getRefused().getCode());
    table.receive(ROUTE, List.of(new byte[] {'P', 'K', 'B', 9, 0, 0, 0, 0}, new byte[8]), 0);
    assertEquals(Wire.Code.UNSUPPORTED, last().getRefused().getCode());
    table = new SessionTable(ServerOptions.DEFAULT.mostSessions(1), "test", this);
    receive(hello(0, 0, nonce), 0);
    receive(hello(0, 0, ClientSession.randomKey()), 0);
    assertEquals(Wire.Code.TOO_MUCH, last().getRefused().getCode());
    receive(hello(0, 0, nonce), 0);
    assertTrue(last().isWelcome());
  }

  @Test
  void whatIsNoMessageIsCounted() {
    byte[] key = open();
    int before = sent.size();
    table.receive(ROUTE, List.of(), 0);
    table.receive(ROUTE, List.of(new byte[8]), 0);
    table.receive(ROUTE, List.of(new byte[8], new byte[8]), 0);
    table.receive(ROUTE, List.of(Frame.preamble(), new byte[8], new byte[8]), 0);
    assertEquals(before, sent.size()); // without a first frame nobody would understand an answer
    receive(new byte[7], 0);
    assertEquals(Wire.Code.MALFORMED, last().getFailure().getCode());
    assertEquals(5, table.malformed());
    assertEquals(1, table.size());
    receive(request(key, 1), 0);
    assertEquals(1, worked.size());
  }

  @Test
  void aConnectionHasAQuotaOfSessions() {
    table = new SessionTable(ServerOptions.DEFAULT.mostSessionsOfConnection(3), "test", this);
    byte[] first = open();
    open();
    byte[] nonce = ClientSession.randomKey();
    receive(hello(0, 0, nonce), 0);
    receive(hello(0, 0, ClientSession.randomKey()), 0);
    assertEquals(Wire.Code.TOO_MUCH, last().getRefused().getCode());
    receive(hello(0, 0, nonce), 0); // a repetition needs no new session
    assertTrue(last().isWelcome());
    table.receive(OTHER_ROUTE,
        List.of(Frame.preamble(), hello(0, 0, ClientSession.randomKey())), 0);
    assertTrue(last().isWelcome()); // another connection has its own
    assertEquals(4, table.size());
    receive(message(first, 0, to -> to.setGoodbye(Void.VOID)), 0);
    open();
    assertEquals(4, table.size());
  }

  @Test
  void thousandsOfHellosLeavePlacesForOthers() {
    for (int i = 0; i < 5000; ++i) {
      receive(hello(0, 0, ClientSession.randomKey()), 0);
    }
    assertEquals(64, table.size());
  }

  @Test
  void sessionsThatNobodyUsesMakePlaceAfter2S() {
    table = new SessionTable(ServerOptions.DEFAULT.mostSessions(2), "test", this);
    byte[] used = open();
    receive(request(used, 1), 0);
    byte[] unused = open();
    receive(message(unused, 0, to -> to.setPing(Void.VOID)), 1999);
    receive(hello(0, 0, ClientSession.randomKey()), 1999);
    assertEquals(Wire.Code.TOO_MUCH, last().getRefused().getCode());
    assertEquals(0, ended);
    receive(hello(0, 0, ClientSession.randomKey()), 2000);
    assertTrue(last().isWelcome());
    assertEquals(1, ended);
    receive(request(unused, 1), 2000);
    assertEquals(Wire.Code.NO_SESSION, last().getFailure().getCode());
    receive(request(used, 2), 2000);
    assertEquals(List.of(1L, 2L), worked);
    receive(hello(0, 0, ClientSession.randomKey()), 2000); // the new one has its time
    assertEquals(Wire.Code.TOO_MUCH, last().getRefused().getCode());
  }

  @Test
  void whatSessionsKeepIsBounded() {
    table.mostSessionBytes = 1000;
    byte[] key = open();
    byte[] small = message(key, 1, to -> to.initOpenPolicy().setPolicy("x"));
    receive(small, 0);
    assertEquals(List.of(1L), worked);
    table.finish(ByteBuffer.wrap(key), 1, new byte[990]); // is kept for repetition
    receive(message(key, 2, to -> to.initOpenPolicy().setPolicy("x")), 0);
    assertEquals(List.of(1L), worked);
    assertEquals(Wire.Code.TOO_MUCH, last().getFailure().getCode());
    assertEquals(2, last().getSequence());
    byte[] refused = sent.get(sent.size() - 1);
    receive(message(key, 2, to -> to.initOpenPolicy().setPolicy("x")), 0);
    assertArrayEquals(refused, sent.get(sent.size() - 1)); // it keeps its number
    receive(request(key, 3), 0); // what frees memory goes on
    finish(key, 3);
    assertEquals(List.of(1L, 3L), worked);
    byte[] other = open(); // has its own
    receive(message(other, 1, to -> to.initOpenPolicy()), 0);
    assertEquals(List.of(1L, 3L, 1L), worked);
    table.mostServerBytes = 1000;
    receive(message(other, 2, to -> to.initOpenPolicy()), 0);
    assertEquals(Wire.Code.TOO_MUCH, last().getFailure().getCode());
    receive(message(key, 0, to -> to.setGoodbye(Void.VOID)), 0);
    receive(message(other, 3, to -> to.initOpenPolicy()), 0);
    assertEquals(List.of(1L, 3L, 1L, 3L), worked);
  }

  @Test
  void failureTextsHaveAtMost16KiB() {
    byte[] key = open();
    byte[] failure = SessionTable.failure(ByteBuffer.wrap(key), 1,
        new ParkException(Code.INVALID_CONFIG, "unknown field\n".repeat(200_000)));
    assertTrue(failure.length < (16 << 10) + 256, failure.length + " bytes");
  }

  @Test
  void changedBitsNeverThrow() {
    byte[] key = open();
    Random random = new Random(1);
    for (int i = 0; i < 20_000; ++i) {
      byte[] bytes = i % 2 == 0 ? request(key, 1 + i % 9) : hello(0, 0, key);
      for (int n = random.nextInt(8); n >= 0; --n) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      receive(i % 3 == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes, 0);
    }
    assertTrue(table.malformed() > 1000);
  }
}
