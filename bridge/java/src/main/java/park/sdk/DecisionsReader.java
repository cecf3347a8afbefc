package park.sdk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.capnproto.Data;
import park.sdk.wire.Wire;

/**
 * Reads the decisions of one stream, in their order, and checks that each row follows what its
 * slot had before. Keeps the episodes of the slots.
 */
final class DecisionsReader {
  /** A context in progress. */
  private static final class Open {
    final long context;
    final Episode episode;
    final long sequence; // of its last row
    final long message; // that had it

    Open(long context, Episode episode, long sequence, long message) {
      this.context = context;
      this.episode = episode;
      this.sequence = sequence;
      this.message = message;
    }
  }

  private final Spec spec;
  private final int mostSlots;
  private final Map<Integer, Open> slots = new HashMap<>();
  private final Map<Integer, Open> before = new HashMap<>(); // the last message; null: none
  private long messages;

  DecisionsReader(Spec spec, int mostSlots) {
    this.spec = spec;
    this.mostSlots = mostSlots;
  }

  /** Throws ParkException(MALFORMED); then nothing was taken. */
  Decisions read(Wire.Decisions.Reader from) {
    before.clear();
    ++messages;
    try {
      return Frame.decoding(() -> {
        Decisions to = new Decisions(from);
        readEnded(from, to);
        readAsked(from, to);
        spec.action().checkRows(to.asked()); // before anybody takes memory for them
        return to;
      });
    } catch (ParkException e) {
      undo();
      throw e;
    }
  }

  /** Forgets the last message that was read. */
  void undo() {
    before.forEach((slot, open) -> slots.compute(slot, (s, now) -> open));
    before.clear();
  }

  /** Has a context go on in a slot, or none (null); returns what was there. */
  private Open change(int slot, Open to) {
    Open old = to == null ? slots.remove(slot) : slots.put(slot, to);
    if (!before.containsKey(slot)) {
      before.put(slot, old);
    }
    return old;
  }

  private Rows rows(Wire.Rows.Reader from, int count, String name) {
    Rows rows = RowsCodec.read(from, spec.observation(), mostSlots);
    if (rows.count() != count) {
      throw ParkException.malformed(name + ": is not the number of observations");
    }
    RowsCodec.checkValues(rows);
    return rows;
  }

  private void readAsked(Wire.Decisions.Reader from, Decisions to) {
    int n = from.getAsked();
    to.observation = rows(from.getObservation(), n, "asked");
    Column slot = new Column(from.getSlot(), n, Integer.BYTES, "slot");
    Column context = new Column(from.getContext(), n, Long.BYTES, "context");
    Column sequence = new Column(from.getSequence(), n, Long.BYTES, "sequence");
    Outcomes since = new Outcomes(n, from.getReward(), from.getElapsedS(), from.getApplied(),
        from.getSkipped());
    Iterator<Wire.Episode.Reader> begun = from.getBegun().iterator();
    to.slot = new int[n];
    to.context = new long[n];
    to.sequence = new long[n];
    to.since = new Outcome[n];
    to.episode = new Episode[n];
    for (int i = 0; i < n; ++i) {
      to.slot[i] = slotAt(slot, i);
      to.context[i] = context.integer(i);
      to.sequence[i] = sequence.integer(i);
      to.since[i] = since.at(i);
      Open open = slots.get(to.slot[i]);
      if (open != null && open.message == messages) {
        throw ParkException.malformed("slot: " + to.slot[i] + " is asked twice");
      }
      if (to.sequence[i] == 0) {
        to.episode[i] = next(begun, "begun");
      } else if (open == null || open.context != to.context[i]
          || open.sequence + 1 != to.sequence[i]) {
        throw ParkException.malformed("context: row " + i + " does not follow what slot "
            + to.slot[i] + " had before");
      } else {
        to.episode[i] = open.episode;
      }
      change(to.slot[i], new Open(to.context[i], to.episode[i], to.sequence[i], messages));
    }
    finish(begun, "begun");
  }

  private void readEnded(Wire.Decisions.Reader from, Decisions to) {
    int m = from.getEnded();
    to.finalObservation = rows(from.getFinalObservation(), m, "ended");
    int metrics = spec.metrics().size();
    if ((long) m * metrics * Double.BYTES > Space.MOST_BYTES) {
      throw new ParkException(Code.TOO_MUCH, "metrics: " + metrics + " of " + m
          + " episodes are more than a message may have");
    }
    Column slot = new Column(from.getEndedSlot(), m, Integer.BYTES, "endedSlot");
    Column context = new Column(from.getEndedContext(), m, Long.BYTES, "endedContext");
    Column decisions = new Column(from.getEndedDecisions(), m, Long.BYTES, "endedDecisions");
    Column events = new Column(from.getEndedEvents(), m, Long.BYTES, "endedEvents");
    Column truncated = new Column(from.getTruncated(), m, 1, "truncated");
    Column metric = new Column(from.getMetrics(), m * metrics, Double.BYTES, "metrics");
    Outcomes last = new Outcomes(m, from.getEndedReward(), from.getEndedElapsedS(),
        from.getEndedApplied(), from.getEndedSkipped());
    Iterator<Wire.Episode.Reader> unseen = from.getEndedUnseen().iterator();
    List<Ended> all = new ArrayList<>();
    for (int i = 0; i < m; ++i) {
      Ended e = new Ended();
      e.spec = spec;
      e.slot = slotAt(slot, i);
      e.context = context.integer(i);
      e.decisions = decisions.integer(i);
      e.events = events.integer(i);
      e.last = last.at(i);
      e.truncated = truncated.integer(i) != 0;
      e.metrics = new double[metrics];
      for (int k = 0; k < metrics; ++k) {
        e.metrics[k] = metric.real(i * metrics + k);
      }
      e.episode = ended(e, change(e.slot, null), unseen);
      all.add(e);
    }
    finish(unseen, "endedUnseen");
    to.ended = List.copyOf(all);
  }

  private static Episode ended(Ended e, Open before, Iterator<Wire.Episode.Reader> unseen) {
    boolean seen = e.decisions != 0;
    boolean follows = before != null && before.context == e.context
        && before.sequence + 1 == e.decisions;
    if (seen ? !follows : before != null) {
      throw ParkException.malformed("endedContext: " + e.context + " is not the context of slot "
          + e.slot);
    }
    return seen ? before.episode : next(unseen, "endedUnseen");
  }

  private int slotAt(Column column, int i) {
    int slot = (int) column.integer(i);
    if (slot < 0 || slot >= mostSlots) {
      throw new ParkException(Code.TOO_MUCH, "slot: " + Integer.toUnsignedLong(slot)
          + ", there are " + mostSlots);
    }
    return slot;
  }

  private static Episode next(Iterator<Wire.Episode.Reader> from, String name) {
    if (!from.hasNext()) {
      throw ParkException.malformed(name + ": too few episodes");
    }
    return Episode.read(from.next());
  }

  private static void finish(Iterator<Wire.Episode.Reader> from, String name) {
    if (from.hasNext()) {
      throw ParkException.malformed(name + ": too many episodes");
    }
  }

  /** A column of n numbers; without bytes they are 0. */
  private static final class Column {
    private final ByteBuffer bytes;
    private final int size; // of a number

    Column(Data.Reader data, int n, int size, String name) {
      this.bytes = Frame.bytes(data);
      this.size = size;
      if (n < 0 || bytes.remaining() != 0 && bytes.remaining() != (long) n * size) {
        throw ParkException.malformed(name + ": " + bytes.remaining() + " bytes for " + n
            + " rows");
      }
    }

    long integer(int i) {
      if (bytes.remaining() == 0) {
        return 0;
      }
      return size == Long.BYTES ? bytes.getLong(i * size)
          : size == Integer.BYTES ? bytes.getInt(i * size) : bytes.get(i) & 0xff;
    }

    double real(int i) {
      return bytes.remaining() == 0 ? 0 : bytes.getDouble(i * size);
    }
  }

  /** What happened before each row. */
  private static final class Outcomes {
    private final Column reward;
    private final Column elapsed;
    private final Column applied;
    private final Column skipped;

    Outcomes(int n, Data.Reader reward, Data.Reader elapsed, Data.Reader applied,
        Data.Reader skipped) {
      this.reward = new Column(reward, n, Double.BYTES, "reward");
      this.elapsed = new Column(elapsed, n, Double.BYTES, "elapsedS");
      this.applied = new Column(applied, n, 1, "applied");
      this.skipped = new Column(skipped, n, Integer.BYTES, "skipped");
    }

    Outcome at(int i) {
      int who = (int) applied.integer(i);
      if (who >= Applied.values().length) {
        throw ParkException.malformed("applied: " + who + ", allowed are 0 to 2");
      }
      return new Outcome(reward.real(i), elapsed.real(i), Applied.values()[who],
          (int) skipped.integer(i));
    }
  }
}
