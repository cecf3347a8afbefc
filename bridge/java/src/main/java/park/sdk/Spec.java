package park.sdk;

import java.util.List;

/** All that an agent has to know of an environment. Immutable. */
public final class Spec {
  private final String name;
  private final Space observation;
  private final Space action;
  private final List<Metric> metrics;
  private final String text;
  private final About about;

  /** What people and tools want to know beside the spaces. */
  static final class About {
    static final About NOTHING = new About("", "", 1, false, false, "");
    final String summary;
    final String reference;
    final int version;
    final boolean system;
    final boolean replayable;
    final String twin;

    About(String summary, String reference, int version, boolean system, boolean replayable,
        String twin) {
      this.summary = summary;
      this.reference = reference;
      this.version = version;
      this.system = system;
      this.replayable = replayable;
      this.twin = twin;
    }
  }

  Spec(String name, Space observation, Space action, List<Metric> metrics, String text,
      About about) {
    this.name = name;
    this.observation = observation;
    this.action = action;
    this.metrics = List.copyOf(metrics);
    this.text = text;
    this.about = about;
  }

  /**
   * The spec of a system that wants to ask policies.
   *
   * @param name of the environment, such as {@code load_balance}
   * @param observation what a policy sees
   * @param action what it decides
   * @param metrics what an episode is judged by; may be empty
   */
  public Spec(String name, Space observation, Space action, List<Metric> metrics) {
    this(name, observation, action, metrics, name, About.NOTHING);
  }

  /**
   * The name.
   *
   * @return such as {@code load_balance}
   */
  public String name() {
    return name;
  }

  /**
   * What it is, for people.
   *
   * @return one line
   */
  public String summary() {
    return about.summary;
  }

  /**
   * Where it is described, for people.
   *
   * @return papers or files
   */
  public String reference() {
    return about.reference;
  }

  /**
   * Rises when results change.
   *
   * @return from 1
   */
  public int version() {
    return about.version;
  }

  /**
   * What an agent sees.
   *
   * @return the space of a row
   */
  public Space observation() {
    return observation;
  }

  /**
   * What an agent decides.
   *
   * @return the space of a row
   */
  public Space action() {
    return action;
  }

  /**
   * What an episode is judged by.
   *
   * @return in the order of the metrics of an ended episode
   */
  public List<Metric> metrics() {
    return metrics;
  }

  /**
   * Whether it is a running system and no simulation.
   *
   * @return true for systems
   */
  public boolean system() {
    return about.system;
  }

  /**
   * Whether the same seeds and actions give the same bytes.
   *
   * @return true for most simulations
   */
  public boolean replayable() {
    return about.replayable;
  }

  /**
   * The environment that simulates this system, or the other way round.
   *
   * @return its name, or empty
   */
  public String twin() {
    return about.twin;
  }

  /**
   * The canonical text of the environment.
   *
   * @return such as {@code load_balance(servers=4)}
   */
  public String text() {
    return text;
  }

  /**
   * Equal for environments that the same policy can play.
   *
   * @return 64 bits
   */
  public long layoutHash() {
    return LayoutHash.of(this);
  }
}
