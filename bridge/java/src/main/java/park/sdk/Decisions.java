package park.sdk;

import java.util.List;
import park.sdk.wire.Wire;

/**
 * What an environment tells at a moment: first what has ended, then what is asked; either may be
 * empty. Row i of the observation asks for row i of the actions. Immutable.
 */
public final class Decisions {
  final Wire.Decisions.Reader wire;
  Rows observation;
  int[] slot;
  long[] context;
  long[] sequence;
  Outcome[] since;
  Episode[] episode;
  List<Ended> ended = List.of();
  Rows finalObservation;

  Decisions(Wire.Decisions.Reader wire) {
    this.wire = wire;
  }

  /**
   * How many rows are asked.
   *
   * @return 0 or more
   */
  public int asked() {
    return slot.length;
  }

  /**
   * What the agent sees.
   *
   * @return a row for each one asked
   */
  public Rows observation() {
    return observation;
  }

  /**
   * Where a row is played: a small number that stands for the episode in progress there.
   *
   * @param row from 0
   * @return from 0
   */
  public int slot(int row) {
    return slot[row];
  }

  /**
   * The context of a row.
   *
   * @param row from 0
   * @return the id of its episode
   */
  public long context(int row) {
    return context[row];
  }

  /**
   * The rows of its context before a row.
   *
   * @param row from 0
   * @return 0 begins the context
   */
  public long sequence(int row) {
    return sequence[row];
  }

  /**
   * What happened since the row before of its context.
   *
   * @param row from 0
   * @return reward and time
   */
  public Outcome since(int row) {
    return since[row];
  }

  /**
   * The episode of a row.
   *
   * @param row from 0
   * @return as it was begun with
   */
  public Episode episode(int row) {
    return episode[row];
  }

  /**
   * The episodes that have ended.
   *
   * @return in the order of the final observation's rows
   */
  public List<Ended> ended() {
    return ended;
  }

  /**
   * What was left of the ended episodes.
   *
   * @return a row for each of them
   */
  public Rows finalObservation() {
    return finalObservation;
  }

  /**
   * Whether nothing will follow.
   *
   * @return true at the end of the last episode
   */
  public boolean done() {
    return wire.getDone();
  }
}
