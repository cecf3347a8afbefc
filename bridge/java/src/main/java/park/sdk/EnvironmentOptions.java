package park.sdk;

/** How an environment is opened. Immutable: each method returns a changed copy. */
public final class EnvironmentOptions {
  /** One slot; an illegal action is an error. */
  public static final EnvironmentOptions DEFAULT = new EnvironmentOptions(1, Illegal.ERROR, 1);

  final int slots;
  final Illegal illegal;
  final double penalty;

  private EnvironmentOptions(int slots, Illegal illegal, double penalty) {
    this.slots = slots;
    this.illegal = illegal;
    this.penalty = penalty;
  }

  /**
   * How many episodes are played side by side.
   *
   * @param value from 1
   * @return the changed options
   */
  public EnvironmentOptions slots(int value) {
    if (value < 1) {
      throw new ParkException(Code.INVALID_CONFIG, "slots: " + value + ", allowed is 1 or more");
    }
    return new EnvironmentOptions(value, illegal, penalty);
  }

  /**
   * What becomes of an action outside its space.
   *
   * @param value the rule
   * @return the changed options
   */
  public EnvironmentOptions illegal(Illegal value) {
    return new EnvironmentOptions(slots, value, penalty);
  }

  /**
   * What is taken off the reward where an illegal action is penalised.
   *
   * @param value finite
   * @return the changed options
   */
  public EnvironmentOptions penalty(double value) {
    return new EnvironmentOptions(slots, illegal, value);
  }
}
