package park.sdk;

import java.nio.charset.StandardCharsets;

/** Texts of others, as an error may tell them and a terminal may print them. */
final class PlainText {
  static final int MOST_BYTES = 16 << 10; // in UTF-8
  private static final int LAST_LINE = 48; // of them: tells what was left out

  private PlainText() {}

  /** At most 16 KiB; control characters but line ends are shown as \xNN, byte by byte. */
  static String of(String text) {
    return bounded(shown(bounded(text))); // bounded first, so that little has to be looked at
  }

  private static String shown(String text) {
    StringBuilder to = new StringBuilder();
    text.codePoints().forEach(c -> {
      if (Character.isISOControl(c) && c != '\n') {
        for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
          to.append(String.format("\\x%02x", b));
        }
      } else {
        to.appendCodePoint(c);
      }
    });
    return to.toString();
  }

  /** As many whole lines as fit, and how many more there are; of a first line its beginning. */
  private static String bounded(String text) {
    if (fitting(text, MOST_BYTES) == text.length()) {
      return text;
    }
    int room = fitting(text, MOST_BYTES - LAST_LINE);
    int end = text.lastIndexOf('\n', room - 1);
    if (end >= 0) {
      return text.substring(0, end) + "\nand " + text.substring(end + 1).lines().count() + " more";
    }
    return text.substring(0, room) + " and " + (text.length() - room) + " more characters";
  }

  /** How many characters of a text have so many bytes at most. */
  private static int fitting(String text, int bytes) {
    int left = bytes;
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      left -= c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (left < 0) {
        break;
      }
      at += Character.charCount(c);
    }
    return at;
  }
}
