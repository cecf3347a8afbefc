package park.sdk;

import park.sdk.wire.Wire;

/** What went wrong, as the schema names it. */
public enum Code {
  /** A defect of the other side. */
  INTERNAL("internal"),
  /** Not a message of the schema, or a field out of its range. */
  MALFORMED("malformed"),
  /** A version, message or option that the other side does not know. */
  UNSUPPORTED("unsupported"),
  /** The session is over or never was. */
  NO_SESSION("noSession"),
  /** The token is missing or wrong, or an endpoint may not be bound. */
  NOT_ALLOWED("notAllowed"),
  /** A sequence number or a message that cannot come here. */
  OUT_OF_ORDER("outOfOrder"),
  /** Beyond a limit of the server. */
  TOO_MUCH("tooMuch"),
  /** No such environment, policy or stream. */
  UNKNOWN_NAME("unknownName"),
  /** A field of a text is wrong. */
  INVALID_CONFIG("invalidConfig"),
  /** An action outside its space. */
  ILLEGAL_ACTION("illegalAction"),
  /** The deadline passed before the reply was there. */
  LATE("late"),
  /** The server ends. */
  SHUTTING_DOWN("shuttingDown"),
  /** The environment threw; its stream is closed. */
  ENVIRONMENT_FAILED("environmentFailed");

  private final String text;

  Code(String text) {
    this.text = text;
  }

  /**
   * The name in the schema.
   *
   * @return such as {@code noSession}
   */
  public String text() {
    return text;
  }

  Wire.Code wire() {
    return Wire.Code.values()[ordinal()];
  }

  /** Throws ParkException(UNSUPPORTED) for a value that the schema does not have. */
  static Code of(Wire.Code code) {
    if (code == Wire.Code._NOT_IN_SCHEMA) {
      throw new ParkException(UNSUPPORTED, "code: is none that this version knows");
    }
    return values()[code.ordinal()];
  }
}
