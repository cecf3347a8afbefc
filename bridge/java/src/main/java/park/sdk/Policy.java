package park.sdk;

/**
 * What takes decisions for others. One thread at a time; what it throws fails the question, as
 * ParkException with its own code, else as an internal failure.
 */
public interface Policy extends AutoCloseable {
  /**
   * An episode begins in a slot; its first row is in the question that comes next.
   *
   * @param slot stands for the episode while it goes on
   * @param episode what it was begun with
   * @param chance from which a policy that draws takes all its chance: the same number gives the
   *     same answers
   */
  default void start(int slot, Episode episode, long chance) {}

  /**
   * Takes the decisions of a moment.
   *
   * @param question row i of its observation asks for row i of the actions; at least one
   * @param actions to be filled in; 0 everywhere
   */
  void act(Decisions question, Rows actions);

  /** Nobody will ask any more. */
  @Override
  default void close() {}
}
