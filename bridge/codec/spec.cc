#include "bridge/codec/spec.h"

#include <string>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"

namespace park::bridge {
namespace {

constexpr std::uint32_t kMostLeaves = 4096;  // of a record

wire::DType wire_type(DType t) { return static_cast<wire::DType>(t); }
static_assert(static_cast<int>(DType::u8) == static_cast<int>(wire::DType::U8));
static_assert(static_cast<int>(DType::f64) == static_cast<int>(wire::DType::F64));

DType type_of(wire::DType t, const std::string& leaf) {
  if (t > wire::DType::F64) throw Failed(Code::UNSUPPORTED, leaf + ": its type is not known");
  return static_cast<DType>(t);
}

void write(const Leaf& l, wire::Leaf::Builder to) {
  to.setName(l.name);
  to.setDtype(wire_type(l.dtype));
  auto shape = to.initShape(static_cast<std::uint32_t>(l.shape.size()));
  for (std::uint32_t i = 0; i < shape.size(); ++i) shape.set(i, l.shape[i]);
  to.setLow(l.low);
  to.setHigh(l.high);
  to.setUnit(l.unit);
  to.setDoc(l.doc);
  to.setGroup(l.group);
  to.setIndexOf(l.index_of);
  auto given = to.initGiven(static_cast<std::uint32_t>(l.given.size()));
  for (std::uint32_t i = 0; i < given.size(); ++i) given.set(i, l.given[i]);
}

Leaf read(wire::Leaf::Reader from) {
  Leaf l{.name = text_of(from.getName()), .low = from.getLow(), .high = from.getHigh()};
  l.dtype = type_of(from.getDtype(), l.name);
  for (const std::int64_t n : from.getShape()) l.shape.push_back(n);
  l.unit = text_of(from.getUnit());
  l.doc = text_of(from.getDoc());
  l.group = text_of(from.getGroup());
  l.index_of = text_of(from.getIndexOf());
  for (const auto head : from.getGiven()) l.given.push_back(text_of(head));
  return l;
}

void write(const Record& record, wire::Record::Builder to) {
  auto leaves = to.initLeaves(static_cast<std::uint32_t>(record.leaves.size()));
  for (std::uint32_t i = 0; i < leaves.size(); ++i) write(record.leaves[i], leaves[i]);
  auto groups = to.initGroups(static_cast<std::uint32_t>(record.groups.size()));
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    groups[i].setName(record.groups[i].name);
    groups[i].setCapacity(record.groups[i].capacity);
  }
}

Record read(wire::Record::Reader from) {
  if (from.getLeaves().size() > kMostLeaves || from.getGroups().size() > kMostLeaves)
    throw Failed(Code::TOO_MUCH, "spec: a record has more than 4096 leaves or groups");
  Record record;
  for (const auto leaf : from.getLeaves()) record.leaves.push_back(read(leaf));
  for (const auto group : from.getGroups())
    record.groups.push_back({text_of(group.getName()), group.getCapacity()});
  return record;
}

}  // namespace

void write(const Spec& spec, wire::Spec::Builder to) {
  to.setName(spec.name);
  to.setSummary(spec.summary);
  to.setReference(spec.reference);
  to.setVersion(static_cast<std::uint32_t>(spec.version));
  to.setLayoutHash(layout_hash(spec));
  write(spec.observation, to.initObservation());
  write(spec.action, to.initAction());
  auto metrics = to.initMetrics(static_cast<std::uint32_t>(spec.metrics.size()));
  for (std::uint32_t i = 0; i < metrics.size(); ++i) {
    metrics[i].setName(spec.metrics[i].name);
    metrics[i].setUnit(spec.metrics[i].unit);
    metrics[i].setLowerIsBetter(spec.metrics[i].lower_is_better);
    metrics[i].setDoc(spec.metrics[i].doc);
  }
  to.setSystem(spec.traits.system);
  to.setReplayable(spec.traits.replayable);
  to.setTwin(spec.traits.twin);
  to.setText(spec.text);
}

Spec read(wire::Spec::Reader from) {
  Spec spec{.name = text_of(from.getName()), .summary = text_of(from.getSummary())};
  spec.reference = text_of(from.getReference());
  spec.version = static_cast<int>(from.getVersion());
  spec.observation = read(from.getObservation());
  spec.action = read(from.getAction());
  if (from.getMetrics().size() > kMostLeaves)
    throw Failed(Code::TOO_MUCH, "spec: more than 4096 metrics");
  for (const auto m : from.getMetrics())
    spec.metrics.push_back(
        {text_of(m.getName()), text_of(m.getUnit()), m.getLowerIsBetter(), text_of(m.getDoc())});
  spec.traits.system = from.getSystem();
  spec.traits.replayable = from.getReplayable();
  spec.traits.twin = text_of(from.getTwin());
  spec.text = text_of(from.getText());
  try {
    validate(spec);
  } catch (const Error& error) {
    throw Failed(Code::MALFORMED, error.what());
  }
  if (layout_hash(spec) != from.getLayoutHash())
    throw Failed(Code::MALFORMED, "spec: layoutHash is not that of its leaves");
  return spec;
}

}  // namespace park::bridge
