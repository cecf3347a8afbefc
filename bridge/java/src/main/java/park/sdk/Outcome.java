package park.sdk;

/** What happened in a context since its row before. */
public final class Outcome {
  private final double reward;
  private final double elapsedS;
  private final Applied applied;
  private final int skipped;

  /**
   * An outcome.
   *
   * @param reward finite
   * @param elapsedS in seconds of the environment's time, 0 or more
   * @param applied who took the decision before
   * @param skipped the questions that nobody saw since then
   */
  public Outcome(double reward, double elapsedS, Applied applied, int skipped) {
    if (!Double.isFinite(reward)) {
      throw ParkException.malformed("reward: " + reward + " is not a number");
    }
    if (!(elapsedS >= 0) || Double.isInfinite(elapsedS)) {
      throw ParkException.malformed("elapsedS: " + elapsedS + " is not a time");
    }
    this.reward = reward;
    this.elapsedS = elapsedS;
    this.applied = applied;
    this.skipped = skipped;
  }

  /**
   * The reward.
   *
   * @return finite
   */
  public double reward() {
    return reward;
  }

  /**
   * The time that went by in the environment.
   *
   * @return in seconds
   */
  public double elapsedS() {
    return elapsedS;
  }

  /**
   * Who took the decision before.
   *
   * @return the policy where there was none
   */
  public Applied applied() {
    return applied;
  }

  /**
   * The questions that nobody saw since the row before.
   *
   * @return 0 or more
   */
  public int skipped() {
    return skipped;
  }
}
