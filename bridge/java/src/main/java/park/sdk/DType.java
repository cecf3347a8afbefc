package park.sdk;

/** The type of a leaf's numbers. */
public enum DType {
  /** Unsigned, 1 byte. */
  U8(1, true),
  /** Signed, 4 bytes. */
  I32(4, true),
  /** Signed, 8 bytes. */
  I64(8, true),
  /** Floating, 4 bytes. */
  F32(4, false),
  /** Floating, 8 bytes. */
  F64(8, false);

  private final int bytes;
  private final boolean integer;

  DType(int bytes, boolean integer) {
    this.bytes = bytes;
    this.integer = integer;
  }

  /**
   * The size of a number.
   *
   * @return in bytes
   */
  public int bytes() {
    return bytes;
  }

  /**
   * Whether it holds whole numbers.
   *
   * @return true for U8, I32 and I64
   */
  public boolean isInteger() {
    return integer;
  }
}
