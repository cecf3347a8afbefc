package park.sdk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Follows which episodes a server says that its slots play, and finds what cannot be true. Each
 * slot plays those that it was given, in their order, and all of them; metrics are numbers. A
 * system that runs by itself begins any of these, in contexts with numbers of its own.
 */
final class Playing {
  private final List<Deque<Episode>> coming = new ArrayList<>(); // of each slot: given, not begun
  private final boolean[] goesOn; // of each slot: an episode
  private final Set<String> given = new HashSet<>();
  private long left; // episodes that have not ended

  Playing(int slots) {
    goesOn = new boolean[slots];
    for (int s = 0; s < slots; ++s) {
      coming.add(new ArrayDeque<>());
    }
  }

  /** A slot has one more episode to play. */
  void give(int slot, Episode episode) {
    coming.get(slot).add(episode);
    given.add(episode.text());
    ++left;
  }

  /** Throws ParkException(MALFORMED); then nothing more can be known. */
  void take(Decisions now, Spec spec) {
    if (!now.done() && now.asked() == 0 && now.ended().isEmpty()) {
      throw ParkException.malformed(
          "asked: nothing is asked and nothing has ended, but it is not done");
    }
    for (Ended ended : now.ended()) {
      checkMetrics(ended);
      if (ended.decisions() == 0) {
        begin(ended.slot(), ended.context(), ended.episode(), "endedUnseen", spec);
      }
      goesOn[ended.slot()] = false;
      --left;
    }
    for (int row = 0; row < now.asked(); ++row) {
      if (now.sequence(row) == 0) {
        begin(now.slot(row), now.context(row), now.episode(row), "begun", spec);
      }
    }
  }

  /** Throws ParkException(MALFORMED) where episodes are left: then nothing can be done yet. */
  void checkDone() {
    if (left > 0) {
      throw ParkException.malformed("done: the server has " + left + " more episodes to play");
    }
  }

  private void begin(int slot, long context, Episode told, String name, Spec spec) {
    String what = name + ": slot " + slot;
    if (goesOn[slot]) {
      throw ParkException.malformed(what + " begins an episode before the one before has ended");
    }
    goesOn[slot] = true;
    if (spec.system()) {
      coming.get(slot).clear(); // their order does not matter
      if (!given.contains(told.text())) {
        throw ParkException.malformed(what + " has " + told.text() + ", which was not given");
      }
      return;
    }
    Episode next = coming.get(slot).poll();
    if (next == null) {
      throw ParkException.malformed(what + " has no episode left");
    }
    if (!next.text().equals(told.text()) || context != next.id()) {
      throw ParkException.malformed(what + " has " + told.text() + " in context "
          + Long.toUnsignedString(context) + ", it was given " + next.text());
    }
    given.remove(told.text()); // is not needed any more
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
