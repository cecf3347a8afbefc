package park.sdk;

/** A group of leaves that share one count of elements per row. */
public final class Group {
  private final String name;
  private final long capacity;

  /**
   * A group.
   *
   * @param name unique in its space
   * @param capacity the most elements in a row
   */
  public Group(String name, long capacity) {
    this.name = name;
    this.capacity = capacity;
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
   * The most elements in a row.
   *
   * @return above 0
   */
  public long capacity() {
    return capacity;
  }
}
