package park.sdk;

import java.util.List;

/** One named array of a space. Immutable: each method that takes a value returns a changed copy. */
public final class Leaf {
  private static final long MOST_WIDTH = Space.MOST_BYTES;

  private final String name;
  private final DType dtype;
  private final double low;
  private final double high;
  private List<Long> shape = List.of();
  private String unit = "";
  private String doc = "";
  private String group = "";
  private String indexOf = "";
  private List<String> given = List.of();
  private int width = 1;

  private Leaf(String name, DType dtype, double low, double high) {
    this.name = name;
    this.dtype = dtype;
    this.low = low;
    this.high = high;
  }

  private Leaf copy() {
    Leaf to = new Leaf(name, dtype, low, high);
    to.shape = shape;
    to.unit = unit;
    to.doc = doc;
    to.group = group;
    to.indexOf = indexOf;
    to.given = given;
    to.width = width;
    return to;
  }

  /**
   * A leaf with one number per row.
   *
   * @param name unique in its space
   * @param dtype the type of its numbers
   * @param low the least value, finite
   * @param high the largest value, finite
   * @return the leaf
   */
  public static Leaf of(String name, DType dtype, double low, double high) {
    return new Leaf(name, dtype, low, high);
  }

  /**
   * Sets the shape of a row, or of an element where there is a group.
   *
   * @param value the sizes, each above 0; none: a single number
   * @return the changed leaf
   */
  public Leaf shape(List<Long> value) {
    Leaf to = copy();
    to.shape = List.copyOf(value);
    long n = 1;
    for (long size : value) {
      if (size <= 0 || size > MOST_WIDTH || n * size > MOST_WIDTH) {
        throw ParkException.malformed(name + ": shape " + value + "; allowed are sizes above 0 "
            + "with at most " + MOST_WIDTH + " numbers in all");
      }
      n *= size;
    }
    to.width = (int) n;
    return to;
  }

  /**
   * Sets the unit.
   *
   * @param value such as {@code s}; 1 for plain numbers
   * @return the changed leaf
   */
  public Leaf unit(String value) {
    Leaf to = copy();
    to.unit = value;
    return to;
  }

  /**
   * Sets what it means.
   *
   * @param value for people
   * @return the changed leaf
   */
  public Leaf doc(String value) {
    Leaf to = copy();
    to.doc = value;
    return to;
  }

  /**
   * Makes it a leaf of the elements of a group.
   *
   * @param value a group of its space; empty: one per row
   * @return the changed leaf
   */
  public Leaf group(String value) {
    Leaf to = copy();
    to.group = value;
    return to;
  }

  /**
   * Has its values select elements of a group.
   *
   * @param value a group of the observation; empty: none
   * @return the changed leaf
   */
  public Leaf indexOf(String value) {
    Leaf to = copy();
    to.indexOf = value;
    return to;
  }

  /**
   * Has its mask depend on an earlier head.
   *
   * @param value that head, then the index leaves of the observation to follow from its value
   * @return the changed leaf
   */
  public Leaf given(List<String> value) {
    Leaf to = copy();
    to.given = List.copyOf(value);
    return to;
  }

  /**
   * The name.
   *
   * @return unique in its space
   */
  public String name() {
    return name;
  }

  /**
   * The type of its numbers.
   *
   * @return the type
   */
  public DType dtype() {
    return dtype;
  }

  /**
   * The shape of a row, or of an element where there is a group.
   *
   * @return the sizes; none: a single number
   */
  public List<Long> shape() {
    return shape;
  }

  /**
   * How many numbers the shape has.
   *
   * @return the product of the sizes
   */
  public int width() {
    return width;
  }

  /**
   * The least value.
   *
   * @return inclusive
   */
  public double low() {
    return low;
  }

  /**
   * The largest value.
   *
   * @return inclusive
   */
  public double high() {
    return high;
  }

  /**
   * The unit.
   *
   * @return such as {@code s}
   */
  public String unit() {
    return unit;
  }

  /**
   * What it means.
   *
   * @return for people
   */
  public String doc() {
    return doc;
  }

  /**
   * The group that it belongs to.
   *
   * @return its name; empty: one per row
   */
  public String group() {
    return group;
  }

  /**
   * The group whose elements its values select.
   *
   * @return its name; empty: none
   */
  public String indexOf() {
    return indexOf;
  }

  /**
   * What its mask depends on.
   *
   * @return an earlier head and index leaves of the observation; mostly empty
   */
  public List<String> given() {
    return given;
  }

  /** Bytes of a row, or of an element where there is a group. */
  long bytes() {
    return (long) width * dtype.bytes();
  }

  /** For people only; no policy uses it. */
  boolean informative() {
    return name.startsWith("info.");
  }
}
