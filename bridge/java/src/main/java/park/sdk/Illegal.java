package park.sdk;

import park.sdk.wire.Wire;

/** What becomes of an action outside its space. */
public enum Illegal {
  /** The step fails before any environment moves. */
  ERROR,
  /** The nearest legal action is taken. */
  PROJECT,
  /** The nearest legal action is taken, and a penalty off the reward. */
  PENALISE;

  Wire.Illegal wire() {
    return Wire.Illegal.values()[ordinal()];
  }
}
