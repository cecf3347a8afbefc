package park.sdk;

import java.nio.ByteBuffer;
import org.capnproto.DataList;
import park.sdk.wire.Wire;

/** The hash of docs/conformance.md over the bytes of decisions, as they came. */
final class DecisionsHash {
  private long hash = LayoutHash.FIRST;

  long value() {
    return hash;
  }

  void add(Wire.Decisions.Reader d) {
    add(d.getObservation());
    add(d.getSlot(), d.getContext(), d.getSequence(), d.getReward(), d.getElapsedS(),
        d.getApplied(), d.getSkipped());
    add(d.getFinalObservation());
    add(d.getEndedSlot(), d.getEndedContext(), d.getEndedDecisions(), d.getEndedEvents(),
        d.getEndedReward(), d.getEndedElapsedS(), d.getEndedApplied(), d.getEndedSkipped(),
        d.getTruncated(), d.getMetrics());
  }

  private void add(Wire.Rows.Reader rows) {
    add(rows.getCounts());
    add(rows.getColumns());
  }

  private void add(DataList.Reader list) {
    for (int i = 0; i < list.size(); ++i) {
      add(list.get(i));
    }
  }

  private void add(org.capnproto.Data.Reader... columns) {
    for (org.capnproto.Data.Reader column : columns) {
      ByteBuffer bytes = Frame.bytes(column);
      while (bytes.hasRemaining()) {
        hash = (hash ^ (bytes.get() & 0xff)) * LayoutHash.PRIME;
      }
    }
  }
}
