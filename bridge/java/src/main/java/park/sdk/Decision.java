package park.sdk;

/** What an {@link Asker} came back with: actions, and who took them. */
public final class Decision {
  private final Rows actions;
  private final Applied by;
  private final String why;

  Decision(Rows actions, Applied by, String why) {
    this.actions = actions;
    this.by = by;
    this.why = why;
  }

  /**
   * What is to be done.
   *
   * @return one row
   */
  public Rows actions() {
    return actions;
  }

  /**
   * Who decided.
   *
   * @return POLICY or FALLBACK
   */
  public Applied by() {
    return by;
  }

  /**
   * Why it was the fall-back, for people.
   *
   * @return one line; empty where it was the policy
   */
  public String why() {
    return why;
  }
}
