package park.sdk;

/** A number that an episode is judged by. */
public final class Metric {
  private final String name;
  private final String unit;
  private final boolean lowerIsBetter;
  private final String doc;

  /**
   * A metric.
   *
   * @param name unique in its environment
   * @param unit such as {@code s}
   * @param lowerIsBetter which direction is better
   * @param doc for people
   */
  public Metric(String name, String unit, boolean lowerIsBetter, String doc) {
    this.name = name;
    this.unit = unit;
    this.lowerIsBetter = lowerIsBetter;
    this.doc = doc;
  }

  /**
   * The name.
   *
   * @return unique in its environment
   */
  public String name() {
    return name;
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
   * Which direction is better.
   *
   * @return true where lower is
   */
  public boolean lowerIsBetter() {
    return lowerIsBetter;
  }

  /**
   * What it means.
   *
   * @return for people
   */
  public String doc() {
    return doc;
  }
}
