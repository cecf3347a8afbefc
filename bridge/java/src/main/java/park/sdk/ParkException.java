package park.sdk;

/** A call that failed, with the schema's name of the reason and a text for people. */
public final class ParkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Code code;
  private final String text;

  /**
   * A failure. Of its text 16 KiB are kept, and control characters but line ends are shown as
   * {@code \xNN}: it may be that of somebody else.
   *
   * @param code what went wrong
   * @param text one line per thing that is wrong; each names the field and what is allowed
   */
  public ParkException(Code code, String text) {
    this(code, text, null);
  }

  ParkException(Code code, String text, Throwable cause) {
    this(cause, code, PlainText.of(String.valueOf(text)));
  }

  private ParkException(Throwable cause, Code code, String text) {
    super(code.text() + ": " + text, cause);
    this.code = code;
    this.text = text;
  }

  /**
   * What went wrong.
   *
   * @return one of the schema's codes
   */
  public Code code() {
    return code;
  }

  /**
   * What went wrong, for people.
   *
   * @return the message without the code
   */
  public String text() {
    return text;
  }

  static ParkException malformed(String text) {
    return new ParkException(Code.MALFORMED, text);
  }
}
