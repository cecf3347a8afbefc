package park.sdk;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an endpoint's text may be here: {@code tcp://HOST:PORT}. */
final class Endpoint {
  private static final Pattern TCP = Pattern.compile("tcp://([^:/\\s]+):(\\d{1,5}|\\*)");
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  private static final int MOST_PORT = 65535;

  private Endpoint() {}

  /** Whether it is the path of a file that tells the endpoint. */
  static boolean isFile(String text) {
    return !text.isEmpty() && !text.contains("://");
  }

  /** Throws ParkException(INVALID_CONFIG) where a client cannot connect to it. */
  static String connectable(String text) {
    if (match(text, "tcp://HOST:PORT").group(2).equals("*")) {
      throw invalid("\"" + text + "\" has no port; allowed is tcp://HOST:PORT");
    }
    return text;
  }

  /** Throws ParkException where a server cannot bind it, or other machines could reach it. */
  static String bindable(String text) {
    Matcher parts = match(text, "tcp://127.0.0.1:PORT, with * for a free port");
    if (!LOOPBACK.matcher(parts.group(1)).matches()) {
      throw new ParkException(Code.NOT_ALLOWED, "endpoint: " + text + " can be reached from other "
          + "machines; allowed is tcp://127.0.0.1:PORT");
    }
    return text;
  }

  private static Matcher match(String text, String allowed) {
    if (text.startsWith("ipc://")) {
      throw invalid(text + " is a socket file, which Java cannot open; allowed is " + allowed);
    }
    Matcher parts = TCP.matcher(text);
    if (!parts.matches()) {
      throw invalid("\"" + text + "\" is none; allowed is " + allowed);
    }
    String port = parts.group(2);
    if (!port.equals("*") && (Integer.parseInt(port) > MOST_PORT || port.matches("0+"))) {
      throw invalid("the port of " + text + " is not in 1 to " + MOST_PORT);
    }
    return parts;
  }

  private static ParkException invalid(String text) {
    return new ParkException(Code.INVALID_CONFIG, "endpoint: " + text);
  }
}
