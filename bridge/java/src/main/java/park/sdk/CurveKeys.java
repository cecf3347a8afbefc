package park.sdk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.zeromq.ZMQ;

/** The keys of a client, from the file of {@code park key}, for servers that encrypt (CURVE). */
final class CurveKeys {
  private static final int CHARACTERS = 40; // of Z85
  private static final Pattern Z85 = Pattern.compile("[0-9a-zA-Z.\\-:+=^!/*?&<>()\\[\\]{}@%$#]*");

  private final byte[] publicKey;
  private final byte[] secretKey;

  private CurveKeys(byte[] publicKey, byte[] secretKey) {
    this.publicKey = publicKey;
    this.secretKey = secretKey;
  }

  /** Throws ParkException(INVALID_CONFIG) where it cannot be read or is no such file. */
  static CurveKeys read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw invalid("the file " + file + " cannot be read: " + e, e);
    }
    String publicKey = EndpointFile.field(text, "public");
    String secretKey = EndpointFile.field(text, "secret");
    if (!"park.key".equals(EndpointFile.field(text, "schema")) || publicKey == null
        || secretKey == null) {
      throw invalid(file + " is not a file of park key", null);
    }
    return new CurveKeys(bytes(publicKey), bytes(secretKey));
  }

  /** Has a socket expect the server with this public key, before it connects. */
  void configure(ZMQ.Socket socket, String serverKey) {
    socket.setCurveServerKey(bytes(serverKey));
    socket.setCurvePublicKey(publicKey);
    socket.setCurveSecretKey(secretKey);
  }

  private static byte[] bytes(String key) {
    if (key.length() != CHARACTERS) {
      throw invalid("a key has " + key.length() + " characters, not " + CHARACTERS, null);
    }
    if (!Z85.matcher(key).matches()) {
      throw invalid("a key has characters that are none of Z85", null);
    }
    return ZMQ.Curve.z85Decode(key);
  }

  private static ParkException invalid(String text, Throwable cause) {
    return new ParkException(Code.INVALID_CONFIG, "key: " + text, cause);
  }
}
