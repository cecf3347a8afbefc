package park.sdk;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * What a server says of itself before anything else (ZMTP 3.0, section Greeting). JeroMQ ends a
 * connection to a server with keys without a word and does not try again, so that has to be found
 * out beside it.
 */
final class Greeting {
  // The signature and the version; the server's mechanism comes before it asks for ours.
  private static final byte[] FIRST = {-1, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3};
  private static final int BYTES = 64;
  private static final int MECHANISM = 12;
  private static final int MECHANISM_BYTES = 20;

  private Greeting() {}

  /** The mechanism of the server behind tcp://HOST:PORT; empty where none tells it in time. */
  static String mechanism(String endpoint, long limitMs) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    URI uri = URI.create(endpoint);
    byte[] said = new byte[BYTES];
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), leftMs(until));
      socket.getOutputStream().write(FIRST);
      for (int have = 0; have < BYTES; ) {
        socket.setSoTimeout(leftMs(until));
        int more = socket.getInputStream().read(said, have, BYTES - have);
        if (more < 0) {
          return "";
        }
        have += more;
      }
    } catch (IOException e) { // nobody is there, or no server of ZeroMQ
      return "";
    }
    return new String(said, MECHANISM, MECHANISM_BYTES, StandardCharsets.US_ASCII).trim();
  }

  private static int leftMs(long until) {
    return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()));
  }
}
