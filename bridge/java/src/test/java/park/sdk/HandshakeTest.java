package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.zeromq.ZMQ;

/** A client with keys before servers that greet with CURVE (ZMTP 3.0) and say nothing more. */
@Timeout(30)
class HandshakeTest {
  private static final int GREETING_BYTES = 64;
  private static final int MECHANISM = 12;
  private static final byte[] FIRST = {-1, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1};

  @TempDir
  Path folder;

  /** Greets every connection and ends it at the client's first command; or all but the first. */
  private static void serve(ServerSocket server, boolean ends, List<Socket> connections) {
    byte[] greeting = new byte[GREETING_BYTES];
    System.arraycopy(FIRST, 0, greeting, 0, FIRST.length);
    byte[] name = "CURVE".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(name, 0, greeting, MECHANISM, name.length);
    greeting[MECHANISM + 20] = 1; // as a server
    try {
      while (true) {
        Socket connection = server.accept();
        connections.add(connection);
        if (ends || connections.size() > 1) {
          connection.getOutputStream().write(greeting);
        }
        if (ends && connection.getInputStream().readNBytes(GREETING_BYTES + 1).length > 0) {
          connection.close();
        }
      }
    } catch (IOException e) { // the test has ended
      return;
    }
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  /** Why a client with keys does not get in. */
  private Code code(boolean ends, Duration timeout) throws Exception {
    ZMQ.Curve.KeyPair client = ZMQ.Curve.generateKeyPair();
    Path keys = write("client.key", "{\"schema\": \"park.key\", \"public\": \"" + client.publicKey
        + "\", \"secret\": \"" + client.secretKey + "\"}");
    List<Socket> connections = new ArrayList<>();
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Path file = write("endpoint", "{\"schema\": \"park.endpoint\", \"endpoint\": "
          + "\"tcp://127.0.0.1:" + server.getLocalPort() + "\", \"server_key\": \""
          + ZMQ.Curve.generateKeyPair().publicKey + "\"}");
      Thread thread = new Thread(() -> serve(server, ends, connections));
      thread.start();
      ClientOptions options =
          ClientOptions.DEFAULT.keyFile(keys.toString()).timeout(timeout);
      ParkException said = assertThrows(ParkException.class,
          () -> Connection.open(file.toString(), options).close());
      server.close();
      thread.join();
      return said.code();
    } finally {
      for (Socket connection : connections) {
        connection.close();
      }
    }
  }

  /** Known long before the deadline, which leaves a busy machine time for the first handshake. */
  @Test
  void theServersEndIsARefusal() throws Exception {
    assertEquals(Code.NOT_ALLOWED, code(true, Duration.ofSeconds(20)));
  }

  /** The client itself gives up the first connection, whose greeting takes too long. */
  @Test
  void aSlowServerRefusesNobody() throws Exception {
    assertEquals(Code.LATE, code(false, Duration.ofMillis(1500)));
  }
}
