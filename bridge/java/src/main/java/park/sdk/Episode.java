package park.sdk;

import park.sdk.wire.Wire;

/** What an episode is made of: the same seeds and the same actions give the same bytes. */
public final class Episode {
  private final long id;
  private final long inputs;
  private final long dynamics;
  private final double horizonS;

  /**
   * An episode that runs to its end.
   *
   * @param id any number
   * @param inputs seeds the arrivals, sizes and traces
   * @param dynamics seeds all other chance
   */
  public Episode(long id, long inputs, long dynamics) {
    this(id, inputs, dynamics, Double.POSITIVE_INFINITY);
  }

  /**
   * An episode.
   *
   * @param id any number
   * @param inputs seeds the arrivals, sizes and traces
   * @param dynamics seeds all other chance
   * @param horizonS it is cut off there, in seconds of its own time; above 0
   */
  public Episode(long id, long inputs, long dynamics, double horizonS) {
    if (!(horizonS > 0)) {
      throw ParkException.malformed("horizonS: " + horizonS + " is not a time above 0");
    }
    this.id = id;
    this.inputs = inputs;
    this.dynamics = dynamics;
    this.horizonS = horizonS;
  }

  /**
   * Its number.
   *
   * @return any
   */
  public long id() {
    return id;
  }

  /**
   * The seed of the arrivals, sizes and traces.
   *
   * @return 64 bits
   */
  public long inputs() {
    return inputs;
  }

  /**
   * The seed of all other chance.
   *
   * @return 64 bits
   */
  public long dynamics() {
    return dynamics;
  }

  /**
   * Where it is cut off.
   *
   * @return in seconds of its own time; infinite: nowhere
   */
  public double horizonS() {
    return horizonS;
  }

  /** All of it, for errors; equal for equal episodes alone. */
  String text() {
    return "episode " + Long.toUnsignedString(id) + " with the seeds "
        + Long.toUnsignedString(inputs) + " and " + Long.toUnsignedString(dynamics)
        + " and the horizon " + horizonS + " s";
  }

  static Episode read(Wire.Episode.Reader from) {
    return new Episode(from.getId(), from.getInputs(), from.getDynamics(), from.getHorizonS());
  }

  void write(Wire.Episode.Builder to) {
    to.setId(id);
    to.setInputs(inputs);
    to.setDynamics(dynamics);
    to.setHorizonS(horizonS);
  }
}
