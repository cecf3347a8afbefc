package park.sdk;

import java.util.List;

/** The episodes that an environment plays, by number from 0. Slot s of n plays s, s + n, ... */
@FunctionalInterface
public interface Episodes {
  /**
   * An episode. Asked for once.
   *
   * @param number from 0
   * @return the episode; null where there is none
   */
  Episode at(long number);

  /**
   * The episodes of a list.
   *
   * @param episodes in their order
   * @return the source
   */
  static Episodes of(List<Episode> episodes) {
    List<Episode> all = List.copyOf(episodes);
    return number -> number < all.size() ? all.get((int) number) : null;
  }

  /**
   * Episodes whose seeds come from one.
   *
   * @param seed the same one gives the same episodes
   * @param count how many
   * @return the source
   */
  static Episodes seeded(long seed, long count) {
    return number -> number < count
        ? new Episode(number, mixed(seed, 2 * number), mixed(seed, 2 * number + 1)) : null;
  }

  /** SplitMix64's output number n of a seed. */
  private static long mixed(long seed, long n) {
    long z = seed + (n + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
