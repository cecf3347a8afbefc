package park.sdk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Follows which episodes a server says that its slots play, and finds what cannot be true. Each
 * slot plays those that it was given, in their order, and all of them; metrics are numbers. A
 * system that runs by itself begins the episodes that it likes.
 */
final class Playing {
  private final List<Deque<Episode>> coming = new ArrayList<>(); // of each slot: given, not begun
  private final boolean[] goesOn; // of each slot: an episode

  Playing(int slots) {
    goesOn = new boolean[slots];
    for (int s = 0; s < slots; ++s) {
      coming.add(new ArrayDeque<>());
    }
  }

  /** A slot has one more episode to play. */
  void give(int slot, Episode episode) {
    coming.get(slot).add(episode);
  }

  /** Throws ParkException(MALFORMED); then nothing more can be known. */
  void take(Decisions now, Spec spec) {
    for (Ended ended : now.ended()) {
      checkMetrics(ended);
      if (ended.decisions() == 0) {
        begin(ended.slot(), ended.episode(), "endedUnseen", spec);
      }
      goesOn[ended.slot()] = false;
    }
    for (int row = 0; row < now.asked(); ++row) {
      if (now.sequence(row) == 0) {
        begin(now.slot(row), now.episode(row), "begun", spec);
      }
    }
  }

  /** Throws ParkException(MALFORMED) where episodes are left: then nothing can be done yet. */
  void checkDone(Spec spec) {
    for (int s = 0; !spec.system() && s < goesOn.length; ++s) {
      int left = coming.get(s).size() + (goesOn[s] ? 1 : 0);
      if (left > 0) {
        throw ParkException.malformed("done: slot " + s + " has " + left
            + " more episodes to play");
      }
    }
  }

  private void begin(int slot, Episode told, String name, Spec spec) {
    if (goesOn[slot]) {
      throw ParkException.malformed(name + ": slot " + slot
          + " begins an episode before the one before has ended");
    }
    goesOn[slot] = true;
    if (spec.system()) {
      return;
    }
    Episode given = coming.get(slot).poll();
    if (given == null) {
      throw ParkException.malformed(name + ": slot " + slot + " has no episode left");
    }
    if (!given.text().equals(told.text())) {
      throw ParkException.malformed(name + ": slot " + slot + " has " + told.text()
          + ", it was given " + given.text());
    }
  }

  /** An episode that was cut off may leave a metric undefined; then it is NaN. */
  private static void checkMetrics(Ended ended) {
    for (int i = 0; i < ended.metrics.length; ++i) {
      double value = ended.metrics[i];
      if (!Double.isFinite(value) && !(Double.isNaN(value) && ended.truncated())) {
        throw ParkException.malformed("metric " + ended.spec.metrics().get(i).name() + ": " + value
            + " of the episode in slot " + ended.slot() + " is not a number");
      }
    }
  }
}
