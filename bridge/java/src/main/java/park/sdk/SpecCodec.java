package park.sdk;

import java.util.ArrayList;
import java.util.List;
import org.capnproto.PrimitiveList;
import org.capnproto.StructList;
import org.capnproto.TextList;
import park.sdk.wire.Wire;

/** A spec as messages carry it. */
final class SpecCodec {
  private static final int MOST_LEAVES = 4096; // of a space

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
      given.set(i, new org.capnproto.Text.Reader(leaf.given().get(i)));
    }
  }

  /** Throws ParkException(MALFORMED) where it contradicts itself. */
  static Spec read(Wire.Spec.Reader from) {
    List<Metric> metrics = new ArrayList<>();
    for (Wire.Metric.Reader metric : atMost(from.getMetrics())) {
      metrics.add(new Metric(metric.getName().toString(), metric.getUnit().toString(),
          metric.getLowerIsBetter(), metric.getDoc().toString()));
    }
    Spec.About about = new Spec.About(from.getSummary().toString(),
        from.getReference().toString(), from.getVersion(), from.getSystem(),
        from.getReplayable(), from.getTwin().toString());
    Spec spec = new Spec(from.getName().toString(), read(from.getObservation()),
        read(from.getAction()), metrics, from.getText().toString(), about);
    if (spec.layoutHash() != from.getLayoutHash()) {
      throw ParkException.malformed("spec: layoutHash is not that of its leaves");
    }
    return spec;
  }

  private static Space read(Wire.Record.Reader from) {
    List<Leaf> leaves = new ArrayList<>();
    for (Wire.Leaf.Reader leaf : atMost(from.getLeaves())) {
      leaves.add(read(leaf));
    }
    List<Group> groups = new ArrayList<>();
    for (Wire.Group.Reader group : atMost(from.getGroups())) {
      groups.add(new Group(group.getName().toString(), group.getCapacity()));
    }
    Space space = new Space(leaves, groups);
    space.checkRows(1);
    return space;
  }

  private static Leaf read(Wire.Leaf.Reader from) {
    String name = from.getName().toString();
    if (from.getDtype() == Wire.DType._NOT_IN_SCHEMA) {
      throw new ParkException(Code.UNSUPPORTED, name + ": its type is not known");
    }
    if (!(from.getLow() <= from.getHigh()) || !Double.isFinite(from.getLow())
        || !Double.isFinite(from.getHigh())) {
      throw ParkException.malformed(name + ": bounds [" + from.getLow() + ", " + from.getHigh()
          + "]; allowed are finite ones, the lower one first");
    }
    List<Long> shape = new ArrayList<>();
    PrimitiveList.Long.Reader sizes = from.getShape();
    for (int i = 0; i < sizes.size(); ++i) {
      shape.add(sizes.get(i));
    }
    List<String> given = new ArrayList<>();
    for (org.capnproto.Text.Reader head : from.getGiven()) {
      given.add(head.toString());
    }
    return Leaf.of(name, DType.values()[from.getDtype().ordinal()], from.getLow(), from.getHigh())
        .shape(shape).unit(from.getUnit().toString()).doc(from.getDoc().toString())
        .group(from.getGroup().toString()).indexOf(from.getIndexOf().toString()).given(given);
  }

  private static <T> StructList.Reader<T> atMost(StructList.Reader<T> list) {
    if (list.size() > MOST_LEAVES) {
      throw new ParkException(Code.TOO_MUCH, "spec: " + list.size()
          + " entries of a list, at most " + MOST_LEAVES + " are allowed");
    }
    return list;
  }
}
