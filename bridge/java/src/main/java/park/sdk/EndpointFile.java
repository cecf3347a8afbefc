package park.sdk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is, its key and its token, from the file of park serve --endpoint-file. */
final class EndpointFile {
  private static final int HEX = 16;

  final String endpoint;
  final String serverKey; // public, of CURVE; empty: none
  final byte[] token; // empty: none

  private EndpointFile(String endpoint, String serverKey, byte[] token) {
    this.endpoint = endpoint;
    this.serverKey = serverKey;
    this.token = token;
  }

  /** Throws ParkException(INVALID_CONFIG) where it cannot be read or is no such file. */
  static EndpointFile read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw invalid("the file " + file + " cannot be read: " + e, e);
    }
    String endpoint = field(text, "endpoint");
    if (!"park.endpoint".equals(field(text, "schema")) || endpoint == null) {
      throw invalid(file + " is not a file of park serve --endpoint-file", null);
    }
    String serverKey = field(text, "server_key");
    String token = field(text, "token");
    return new EndpointFile(endpoint, serverKey == null ? "" : serverKey,
        token == null ? new byte[0] : bytes(file, token));
  }

  /** The text of a member; null where there is none. */
  static String field(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(json);
    return found.find() ? found.group(1) : null;
  }

  private static byte[] bytes(Path file, String hex) {
    if (!hex.matches("([0-9a-fA-F]{2})*")) {
      throw invalid("the token in " + file + " is not hexadecimal", null);
    }
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; ++i) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), HEX);
    }
    return bytes;
  }

  private static ParkException invalid(String text, Throwable cause) {
    return new ParkException(Code.INVALID_CONFIG, "endpoint: " + text, cause);
  }
}
