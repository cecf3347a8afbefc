package park.sdk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.ToLongFunction;
import park.sdk.wire.Wire;

/** An episode of a system that asks: what the policy has seen of it and what it has to be told. */
final class AskedContext {
  final int slot;
  final Episode episode;
  final long chance;
  boolean known; // the policy has its earlier rows; otherwise it begins with the next one
  int skipped; // questions that nobody saw since the row before
  Applied applied = Applied.POLICY; // who took the decision before
  private long sequence; // of the next row
  private double reward; // since the row before
  private double elapsedS;
  private Rows finalObservation;
  private boolean truncated;
  private double[] metrics;

  AskedContext(int slot, Episode episode, long chance) {
    if (slot < 0) {
      throw ParkException.malformed("slot: " + slot + ", allowed is 0 or more");
    }
    this.slot = slot;
    this.episode = episode;
    this.chance = chance;
  }

  /** Time goes by. */
  void pass(double moreReward, double moreElapsedS) {
    Outcome checked = new Outcome(moreReward, moreElapsedS, applied, skipped);
    reward += checked.reward();
    elapsedS += checked.elapsedS();
  }

  void end(Rows last, boolean cutOff, double[] judgedBy) {
    finalObservation = last;
    truncated = cutOff;
    metrics = judgedBy.clone();
  }

  /** The question with its next row. */
  void write(Rows observation, Wire.Decisions.Builder to) {
    to.setAsked(1);
    RowsCodec.write(observation, to.initObservation());
    to.setSlot(ints(slot));
    to.setContext(longs(episode.id()));
    to.setSequence(longs(known ? sequence : 0));
    to.setReward(longs(Double.doubleToRawLongBits(reward)));
    to.setElapsedS(longs(Double.doubleToRawLongBits(elapsedS)));
    to.setApplied(new byte[] {(byte) applied.ordinal()});
    to.setSkipped(ints(skipped));
    if (!known) {
      episode.write(to.initBegun(1).get(0));
    }
  }

  /** Its row was sent. */
  void delivered() {
    sequence = known ? sequence + 1 : 1;
    known = true;
    skipped = 0;
    reward = 0;
    elapsedS = 0;
  }

  /** The part of a question that tells what has ended. */
  static void writeEnded(List<AskedContext> ended, Spec spec, Wire.Decisions.Builder to) {
    to.setEnded(ended.size());
    Rows[] last = ended.stream().map(context -> context.finalObservation).toArray(Rows[]::new);
    RowsCodec.write(Rows.joined(spec.observation(), last), to.initFinalObservation());
    to.setEndedSlot(column(ended, Integer.BYTES, context -> context.slot));
    to.setEndedContext(column(ended, Long.BYTES, context -> context.episode.id()));
    to.setEndedDecisions(column(ended, Long.BYTES, context -> context.sequence));
    to.setEndedReward(
        column(ended, Long.BYTES, context -> Double.doubleToRawLongBits(context.reward)));
    to.setEndedElapsedS(
        column(ended, Long.BYTES, context -> Double.doubleToRawLongBits(context.elapsedS)));
    to.setEndedApplied(column(ended, 1, context -> context.applied.ordinal()));
    to.setEndedSkipped(column(ended, Integer.BYTES, context -> context.skipped));
    to.setTruncated(column(ended, 1, context -> context.truncated ? 1 : 0));
    ByteBuffer metrics = buffer(ended.size() * spec.metrics().size() * Double.BYTES);
    for (AskedContext context : ended) {
      for (int i = 0; i < spec.metrics().size(); ++i) {
        metrics.putDouble(context.metrics.length == 0 ? 0 : context.metrics[i]);
      }
    }
    to.setMetrics(metrics.array());
  }

  private static byte[] column(List<AskedContext> all, int bytes,
      ToLongFunction<AskedContext> value) {
    ByteBuffer to = buffer(all.size() * bytes);
    for (AskedContext context : all) {
      long v = value.applyAsLong(context);
      for (int i = 0; i < bytes; ++i) {
        to.put((byte) (v >>> (Byte.SIZE * i)));
      }
    }
    return to.array();
  }

  private static byte[] ints(int value) {
    return buffer(Integer.BYTES).putInt(value).array();
  }

  private static byte[] longs(long value) {
    return buffer(Long.BYTES).putLong(value).array();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
