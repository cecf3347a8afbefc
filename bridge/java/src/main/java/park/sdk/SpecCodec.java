package park.sdk;

import java.util.ArrayList;
import java.util.List;
import org.capnproto.PrimitiveList;
import org.capnproto.StructList;
import org.capnproto.Text;
import org.capnproto.TextList;
import park.sdk.wire.Wire;

/** A spec as messages carry it. */
final class SpecCodec {
  private static final int MOST_LEAVES = 4096; // of a space, and groups and metrics
  private static final int MOST_HEADS = 256; // leaves of the action
  private static final int MOST_PLACES = 32; // sizes of a shape, names of a path `given`
  private static final int MOST_NAME = 256; // bytes
  private static final int MOST_TEXTS = 1 << 20; // bytes of all texts of a spec

  private SpecCodec() {}

  static void write(Spec spec, Wire.Spec.Builder to) {
    to.setName(spec.name());
    to.setSummary(spec.summary());
    to.setReference(spec.reference());
    to.setVersion(spec.version());
    to.setLayoutHash(spec.layoutHash());
    write(spec.observation(), to.initObservation());
    write(spec.action(), to.initAction());
    StructList.Builder<Wire.Metric.Builder> metrics = to.initMetrics(spec.metrics().size());
    for (int i = 0; i < spec.metrics().size(); ++i) {
      Metric from = spec.metrics().get(i);
      Wire.Metric.Builder metric = metrics.get(i);
      metric.setName(from.name());
      metric.setUnit(from.unit());
      metric.setLowerIsBetter(from.lowerIsBetter());
      metric.setDoc(from.doc());
    }
    to.setSystem(spec.system());
    to.setReplayable(spec.replayable());
    to.setTwin(spec.twin());
    to.setText(spec.text());
  }

  private static void write(Space space, Wire.Record.Builder to) {
    StructList.Builder<Wire.Leaf.Builder> leaves = to.initLeaves(space.leaves().size());
    for (int i = 0; i < space.leaves().size(); ++i) {
      write(space.leaves().get(i), leaves.get(i));
    }
    StructList.Builder<Wire.Group.Builder> groups = to.initGroups(space.groups().size());
    for (int i = 0; i < space.groups().size(); ++i) {
      groups.get(i).setName(space.groups().get(i).name());
      groups.get(i).setCapacity(space.groups().get(i).capacity());
    }
  }

  private static void write(Leaf leaf, Wire.Leaf.Builder to) {
    to.setName(leaf.name());
    to.setDtype(Wire.DType.values()[leaf.dtype().ordinal()]);
    PrimitiveList.Long.Builder shape = to.initShape(leaf.shape().size());
    for (int i = 0; i < leaf.shape().size(); ++i) {
      shape.set(i, leaf.shape().get(i));
    }
    to.setLow(leaf.low());
    to.setHigh(leaf.high());
    to.setUnit(leaf.unit());
    to.setDoc(leaf.doc());
    to.setGroup(leaf.group());
    to.setIndexOf(leaf.indexOf());
    TextList.Builder given = to.initGiven(leaf.given().size());
    for (int i = 0; i < leaf.given().size(); ++i) {
      given.set(i, new Text.Reader(leaf.given().get(i)));
    }
  }

  /**
   * Throws ParkException(MALFORMED) where it contradicts itself, (TOO_MUCH) where a list, a text or
   * a row is larger than any that is needed.
   */
  static Spec read(Wire.Spec.Reader from) {
    Spec spec = new Texts().spec(from);
    if (spec.layoutHash() != from.getLayoutHash()) {
      throw ParkException.malformed("spec: layoutHash is not that of its leaves");
    }
    return spec;
  }

  private static void checkMost(String what, long n, int most) {
    if (n > most) {
      throw new ParkException(Code.TOO_MUCH, "spec: " + n + " " + what + ", at most " + most
          + " are allowed");
    }
  }

  /** Reads the texts of one spec, and what they name; all are bounded before they are copied. */
  private static final class Texts {
    private long bytes;

    String text(Text.Reader from, String of) {
      bytes += from.size();
      checkMost("bytes of texts up to " + of, bytes, MOST_TEXTS);
      return from.toString();
    }

    String name(Text.Reader from, String of) {
      checkMost("bytes in a name of " + of, from.size(), MOST_NAME);
      return text(from, of);
    }

    Spec spec(Wire.Spec.Reader from) {
      checkMost("metrics", from.getMetrics().size(), MOST_LEAVES);
      List<Metric> metrics = new ArrayList<>();
      for (Wire.Metric.Reader metric : from.getMetrics()) {
        String name = name(metric.getName(), "a metric");
        metrics.add(new Metric(name, text(metric.getUnit(), name), metric.getLowerIsBetter(),
            text(metric.getDoc(), name)));
      }
      Spec.About about = new Spec.About(text(from.getSummary(), "summary"),
          text(from.getReference(), "reference"), from.getVersion(), from.getSystem(),
          from.getReplayable(), name(from.getTwin(), "the twin"));
      return new Spec(name(from.getName(), "the environment"),
          space(from.getObservation(), MOST_LEAVES), space(from.getAction(), MOST_HEADS), metrics,
          text(from.getText(), "text"), about);
    }

    private Space space(Wire.Record.Reader from, int mostLeaves) {
      checkMost("leaves of a record", from.getLeaves().size(), mostLeaves);
      checkMost("groups of a record", from.getGroups().size(), MOST_LEAVES);
      List<Leaf> leaves = new ArrayList<>();
      for (Wire.Leaf.Reader leaf : from.getLeaves()) {
        leaves.add(leaf(leaf));
      }
      List<Group> groups = new ArrayList<>();
      for (Wire.Group.Reader group : from.getGroups()) {
        groups.add(new Group(name(group.getName(), "a group"), group.getCapacity()));
      }
      Space space = new Space(leaves, groups);
      space.checkRows(1);
      return space;
    }

    private Leaf leaf(Wire.Leaf.Reader from) {
      String name = name(from.getName(), "a leaf");
      if (from.getDtype() == Wire.DType._NOT_IN_SCHEMA) {
        throw new ParkException(Code.UNSUPPORTED, name + ": its type is not known");
      }
      if (!(from.getLow() <= from.getHigh()) || !Double.isFinite(from.getLow())
          || !Double.isFinite(from.getHigh())) {
        throw ParkException.malformed(name + ": bounds [" + from.getLow() + ", " + from.getHigh()
            + "]; allowed are finite ones, the lower one first");
      }
      checkMost("sizes in the shape of " + name, from.getShape().size(), MOST_PLACES);
      checkMost("names in given of " + name, from.getGiven().size(), MOST_PLACES);
      List<Long> shape = new ArrayList<>();
      for (int i = 0; i < from.getShape().size(); ++i) {
        shape.add(from.getShape().get(i));
      }
      List<String> given = new ArrayList<>();
      for (Text.Reader head : from.getGiven()) {
        given.add(name(head, name));
      }
      return Leaf.of(name, DType.values()[from.getDtype().ordinal()], from.getLow(),
          from.getHigh()).shape(shape).unit(text(from.getUnit(), name))
          .doc(text(from.getDoc(), name)).group(name(from.getGroup(), name))
          .indexOf(name(from.getIndexOf(), name)).given(given);
    }
  }
}
