package park.sdk;

/**
 * The values that a discrete head of an action may take in a row: low to high, and where the
 * observation has a mask for it, those that the mask allows.
 */
public final class Choices {
  private static final long MOST_VALUES = 1 << 24; // that are listed

  private final long low;
  private final long high;
  private final Rows mask; // null: all of them
  private final int maskLeaf;
  private final int maskStart; // of the value low in the mask's column

  private Choices(long low, long high, Rows mask, int maskLeaf, int maskStart) {
    this.low = low;
    this.high = high;
    this.mask = mask;
    this.maskLeaf = maskLeaf;
    this.maskStart = maskStart;
  }

  /**
   * The choices of a head after those of the earlier heads. Throws ParkException(UNKNOWN_NAME)
   * where there is no such head, (UNSUPPORTED) where it is continuous.
   *
   * @param spec of the environment
   * @param head a leaf of the action
   * @param observation what is seen
   * @param actions whose earlier heads are filled in, with legal values, where this one depends
   *     on them
   * @param row from 0
   * @return what is allowed
   */
  public static Choices of(Spec spec, String head, Rows observation, Rows actions, int row) {
    Leaf leaf = spec.action().leaf(head);
    if (!leaf.dtype().isInteger()) {
      throw new ParkException(Code.UNSUPPORTED, head + ": is continuous, it has no choices");
    }
    Space space = spec.observation();
    int element = element(leaf, observation, actions, row);
    if (space.has(head + ".min")) {
      return new Choices(at(observation, head + ".min", row, element),
          at(observation, head + ".max", row, element), null, 0, 0);
    }
    boolean selects = !leaf.indexOf().isEmpty();
    long low = selects ? 0 : (long) leaf.low();
    long high = selects ? observation.elements(leaf.indexOf(), row) - 1 : (long) leaf.high();
    String name = "mask." + head;
    if (!space.has(name)) {
      return new Choices(low, high, null, 0, 0);
    }
    int column = space.index(name);
    long width = space.leaves().get(column).width();
    long start = observation.start(column, row) + (selects ? 0 : element * width);
    if (start + (high - low + 1) > observation.start(column, row + 1)) {
      throw ParkException.malformed(name + ": has no " + (high - low + 1) + " values for row "
          + row);
    }
    return new Choices(low, high, observation, column, (int) start);
  }

  /**
   * Throws ParkException(ILLEGAL_ACTION) where a row of actions is outside of its space or its
   * masks; the text names the head.
   *
   * @param spec of the environment
   * @param observation what is seen
   * @param actions what is to be done
   * @param row from 0
   */
  public static void check(Spec spec, Rows observation, Rows actions, int row) {
    for (Leaf leaf : spec.action().leaves()) { // in order: a head's mask needs a legal earlier one
      Choices choices = leaf.dtype().isInteger()
          ? of(spec, leaf.name(), observation, actions, row) : null;
      for (double value : actions.doubles(leaf.name(), row)) {
        boolean legal = choices != null ? choices.allows((long) value)
            : value >= leaf.low() && value <= leaf.high();
        if (!legal) {
          throw new ParkException(Code.ILLEGAL_ACTION, leaf.name() + ": " + value + " in row " + row
              + " is not allowed");
        }
      }
    }
  }

  /** The element whose mask or range counts: found by following what the head is given. */
  private static int element(Leaf leaf, Rows observation, Rows actions, int row) {
    int element = 0;
    for (int i = 0; i < leaf.given().size(); ++i) {
      element = (int) at(i == 0 ? actions : observation, leaf.given().get(i), row, element);
    }
    return element;
  }

  private static long at(Rows rows, String leaf, int row, int element) {
    long at = (long) rows.start(leaf, row) + element;
    if (element < 0 || at >= rows.start(leaf, row + 1)) {
      throw ParkException.malformed(leaf + ": has no element " + element + " in row " + row);
    }
    return (long) rows.get(leaf, (int) at);
  }

  /**
   * The least value of the range.
   *
   * @return inclusive; a mask may forbid it
   */
  public long low() {
    return low;
  }

  /**
   * The largest value of the range.
   *
   * @return inclusive; below low where nothing is allowed
   */
  public long high() {
    return high;
  }

  /**
   * Whether a value is allowed.
   *
   * @param value any
   * @return true where it is
   */
  public boolean allows(long value) {
    return value >= low && value <= high
        && (mask == null || mask.column(maskLeaf).get(maskStart + (int) (value - low)) != 0);
  }

  /**
   * The values that are allowed. Throws ParkException(TOO_MUCH) where the range has more than can
   * be listed.
   *
   * @return rising; empty where none is
   */
  public long[] values() {
    if (high - low >= MOST_VALUES) {
      throw new ParkException(Code.TOO_MUCH, "choices: " + low + " to " + high
          + " are more than can be listed, " + MOST_VALUES);
    }
    long[] all = new long[(int) Math.max(0, high - low + 1)];
    int n = 0;
    for (long value = low; value <= high; ++value) {
      if (allows(value)) {
        all[n++] = value;
      }
    }
    return java.util.Arrays.copyOf(all, n);
  }
}
