package park.sdk;

/** An episode that has ended, as told by {@link Decisions}. */
public final class Ended {
  int slot;
  long context;
  long decisions;
  long events;
  Episode episode;
  Outcome last;
  boolean truncated;
  double[] metrics;
  Spec spec;

  Ended() {}

  /**
   * Where it was played.
   *
   * @return from 0
   */
  public int slot() {
    return slot;
  }

  /**
   * Its context.
   *
   * @return the id of its episode
   */
  public long context() {
    return context;
  }

  /**
   * The decisions of the whole episode.
   *
   * @return 0 or more
   */
  public long decisions() {
    return decisions;
  }

  /**
   * The simulated events of the whole episode.
   *
   * @return 0 or more
   */
  public long events() {
    return events;
  }

  /**
   * The episode.
   *
   * @return as it was begun with
   */
  public Episode episode() {
    return episode;
  }

  /**
   * What happened since its last row.
   *
   * @return reward and time
   */
  public Outcome last() {
    return last;
  }

  /**
   * Whether it was cut off at its horizon; otherwise it came to its end.
   *
   * @return true where it was cut off
   */
  public boolean truncated() {
    return truncated;
  }

  /**
   * What it is judged by.
   *
   * @return in the order of the spec's metrics; a copy
   */
  public double[] metrics() {
    return metrics.clone();
  }

  /**
   * One of the metrics.
   *
   * @param name such as {@code avg_response_s}
   * @return NaN where the episode does not define it
   * @throws ParkException unknownName
   */
  public double metric(String name) {
    for (int i = 0; i < metrics.length; ++i) {
      if (spec.metrics().get(i).name().equals(name)) {
        return metrics[i];
      }
    }
    throw new ParkException(Code.UNKNOWN_NAME, "metric: there is no " + name);
  }
}
