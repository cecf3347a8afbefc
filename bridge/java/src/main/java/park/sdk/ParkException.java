package park.sdk;

/** A call that failed, with the schema's name of the reason and a text for people. */
public final class ParkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Code code;
  private final String text;

  /**
   * A failure.
   *
   * @param code what went wrong
   * @param text one line per thing that is wrong; each names the field and what is allowed
   */
  public ParkException(Code code, String text) {
    this(code, text, null);
  }

  ParkException(Code code, String text, Throwable cause) {
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
