package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import park.sdk.wire.Wire;

/** A server and clients over real sockets. */
@Timeout(30)
class PolicyServerTest {
  private static final String ANY_PORT = "tcp://127.0.0.1:*";
  private static final Duration LONG = Duration.ofSeconds(10);

  private static PolicyServer server(Policy policy) {
    return PolicyServer.bind(ANY_PORT, "test", spec -> policy);
  }

  private static Consumer<Wire.Envelope.Builder> openPolicy(String name) {
    return to -> {
      Wire.OpenPolicy.Builder open = to.initOpenPolicy();
      open.setPolicy(name);
      SpecCodec.write(Shop.SPEC, open.initSpec());
    };
  }

  private static Code failed(Connection connection, Consumer<Wire.Envelope.Builder> request) {
    return assertThrows(ParkException.class, () -> connection.call(LONG, request)).code();
  }

  @Test
  void policiesAreOpenedAskedAndClosed() throws Exception {
    CountDownLatch closed = new CountDownLatch(2);
    Policy policy = new Policy() {
      @Override
      public void act(Decisions question, Rows actions) {
        actions.set("stage", 0, 1);
      }

      @Override
      public void close() {
        closed.countDown();
      }
    };
    try (PolicyServer server = server(policy);
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      assertEquals("test", connection.call(LONG, openPolicy("")).getPolicyOpened().getPolicy()
          .toString());
      assertEquals(2, connection.call(LONG, openPolicy("test")).getPolicyOpened().getId());
      assertEquals(Code.NOT_ALLOWED, failed(connection, openPolicy("other")));
      assertEquals(Code.UNKNOWN_NAME, failed(connection, to -> to.initAsk().setId(3)));
      assertEquals(Code.UNSUPPORTED, failed(connection, to -> to.initStep()));
      assertEquals(1, connection.call(LONG, to -> to.initClosePolicy().setId(1)).getPolicyClosed()
          .getId());
      assertEquals(Code.UNKNOWN_NAME, failed(connection, to -> to.initClosePolicy().setId(1)));
      assertEquals(1, closed.getCount());
    }
    assertTrue(closed.await(5, TimeUnit.SECONDS), "the end of the session closes the policy");
  }

  @Test
  void aPolicyThatThrowsFailsTheQuestionAlone() throws Exception {
    try (PolicyServer server = PolicyServer.bind(ANY_PORT, "test", spec -> {
          throw new ParkException(Code.INVALID_CONFIG, "spec: not for me");
        });
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      assertEquals(Code.INVALID_CONFIG, failed(connection, openPolicy("")));
      assertEquals(Code.INVALID_CONFIG, failed(connection, openPolicy("")));
      assertNull(server.failure());
    }
    try (PolicyServer server = PolicyServer.bind(ANY_PORT, "test", spec -> {
          throw new AssertionError("a defect");
        });
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      assertEquals(Code.INTERNAL, failed(connection, openPolicy("")));
    }
  }

  @Test
  void aRequestThatHasWaitedTooLongIsNotDone() throws Exception {
    AtomicInteger made = new AtomicInteger();
    Policy policy = (question, actions) -> { };
    try (PolicyServer server = PolicyServer.bind(ANY_PORT, "test", spec -> {
          if (made.incrementAndGet() == 1) {
            sleep(600);
          }
          return policy;
        });
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      ClientSession.Request slow = connection.send(LONG, openPolicy(""));
      ClientSession.Request late = connection.send(Duration.ofMillis(50), openPolicy(""));
      assertEquals(1, connection.await(slow, LONG).getPolicyOpened().getId());
      assertEquals(Code.LATE,
          assertThrows(ParkException.class, () -> connection.await(late, LONG)).code());
      assertEquals(2, connection.call(LONG, openPolicy("")).getPolicyOpened().getId());
      assertEquals(2, made.get());
    }
  }

  private static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReplyBeyondTheLimitIsTooMuch() throws Exception {
    ServerOptions options = ServerOptions.DEFAULT.mostBytes(4096);
    try (PolicyServer server = PolicyServer.bind(ANY_PORT, "n".repeat(4096), spec -> null, options);
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      assertEquals(Code.TOO_MUCH, failed(connection, openPolicy("")));
      assertEquals(Code.TOO_MUCH, failed(connection, openPolicy("x".repeat(4096))));
      assertEquals(4096, connection.limits().mostBytes);
    }
  }

  @Test
  void longNamesAndActionsThatNoReplyHasAreTooMuch() throws Exception {
    Spec wide = new Spec("wide", new Space(List.of(), List.of()),
        new Space(List.of(Leaf.of("x", DType.F32, 0, 1).shape(List.of(1L << 23))), List.of()),
        List.of());
    try (PolicyServer server = server((question, actions) -> { });
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      assertEquals(Code.TOO_MUCH, failed(connection, openPolicy("x".repeat((64 << 10) + 1))));
      assertEquals(Code.NOT_ALLOWED, failed(connection, openPolicy("x".repeat(64 << 10))));
      connection.call(LONG, to -> SpecCodec.write(wide, to.initOpenPolicy().initSpec()));
      assertEquals(Code.TOO_MUCH, failed(connection, to -> { // 3 rows of 32 MiB
        Wire.Ask.Builder ask = to.initAsk();
        ask.setId(1);
        ask.setChance(new byte[24]);
        Wire.Decisions.Builder question = ask.initQuestion();
        question.setAsked(3);
        question.initObservation().setCount(3);
        question.initBegun(3);
        question.setSlot(new byte[] {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0});
      }));
    }
  }

  @Test
  void tokensAreDemanded(@TempDir Path folder) throws Exception {
    byte[] token = {1, 2, (byte) 0xff};
    try (PolicyServer server = PolicyServer.bind(ANY_PORT, "test", spec -> null,
        ServerOptions.DEFAULT.token(token))) {
      ParkException refused = assertThrows(ParkException.class,
          () -> Client.connect(server.endpoint()));
      assertEquals(Code.NOT_ALLOWED, refused.code());
      Client.connect(server.endpoint(), ClientOptions.DEFAULT.token(token)).close();
      Path file = folder.resolve("endpoint.json");
      String json = "{\"schema\": \"park.endpoint\", \"version\": 1, \"endpoint\": \""
          + server.endpoint() + "\", \"pid\": 1, \"token\": \"0102FF\"}";
      Files.writeString(file, json);
      Client.connect(file.toString()).close();
      for (String wrong : List.of(json.replace("FF", "F"), json.replace("endpoint\":", "x\":"), "",
          json.replace("park.endpoint", "park.x"), json.replace("tcp:", "ipc:"))) {
        Files.writeString(file, wrong);
        assertEquals(Code.INVALID_CONFIG, assertThrows(ParkException.class,
            () -> Client.connect(file.toString())).code(), wrong);
      }
      Files.writeString(file, json.replace("token", "server_key"));
      assertEquals(Code.UNSUPPORTED, assertThrows(ParkException.class,
          () -> Client.connect(file.toString())).code());
    }
  }

  @Test
  void anEndpointIsBoundOnce() {
    try (PolicyServer server = server(null)) {
      ParkException taken = assertThrows(ParkException.class,
          () -> PolicyServer.bind(server.endpoint(), "test", spec -> null));
      assertEquals(Code.NOT_ALLOWED, taken.code());
      assertTrue(taken.text().contains("in use"), taken.text());
    }
    assertEquals(Code.NOT_ALLOWED, assertThrows(ParkException.class,
        () -> PolicyServer.bind("tcp://0.0.0.0:*", "test", spec -> null)).code());
  }

  @Test
  void theEndOfTheServerIsTold() throws Exception {
    PolicyServer server = server(null);
    try (Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      server.close();
      assertEquals(Code.SHUTTING_DOWN, failed(connection, openPolicy("")));
    }
    ParkException late = assertThrows(ParkException.class, () -> Client.connect(server.endpoint(),
        ClientOptions.DEFAULT.timeout(Duration.ofMillis(300))));
    assertEquals(Code.LATE, late.code());
    assertTrue(late.text().contains(server.endpoint()));
  }

  @Test
  void noiseOnThePortHarmsNobody() throws Exception {
    Random random = new Random(1);
    try (PolicyServer server = server(null);
        Connection connection = Connection.open(server.endpoint(), ClientOptions.DEFAULT)) {
      int port = Integer.parseInt(server.endpoint().replaceAll(".*:", ""));
      for (int i = 0; i < 50; ++i) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            OutputStream out = socket.getOutputStream()) {
          byte[] noise = new byte[1000];
          random.nextBytes(noise);
          out.write(i % 2 == 0 ? "GET / HTTP/1.1\r\n\r\n".getBytes("UTF-8") : noise);
        } catch (java.io.IOException e) {
          // the server has closed it, which is its right
        }
      }
      connection.call(LONG, openPolicy(""));
      assertNull(server.failure());
    }
  }
}
