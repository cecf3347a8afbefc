// Specs as messages. Reading bounds what a peer may make of one before any of it is used: the
// number of leaves, dimensions and heads, the length of names, and all texts together. Then
// validate looks for contradictions and for rows that are too large. Services read what clients
// send with openPolicy, remote streams what servers send with streamOpened.
#include "bridge/codec/spec.h"

#include <string>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"

namespace park::bridge {
namespace {

// Every list and text is bounded, so that checking a spec is quick and its violations are short.
constexpr std::uint32_t kMostLeaves = 4096;  // of a record, and groups and metrics
constexpr std::uint32_t kMostHeads = 256;    // leaves of the action
constexpr std::uint32_t kMostPlaces = 32;    // dimensions of a leaf, names of a path `given`
constexpr std::size_t kMostName = 256;       // bytes
constexpr std::size_t kMostTexts = std::size_t{1} << 20;  // bytes of all texts of a spec

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

void check_most(const std::string& what, std::size_t n, std::size_t most) {
  if (n > most)
    throw Failed(Code::TOO_MUCH, "spec: " + what + ": " + std::to_string(n) + ", at most " +
                                     std::to_string(most) + " are allowed");
}

/// Takes the texts of one spec.
class Texts {
 public:
  [[nodiscard]] std::string text(capnp::Text::Reader from, const std::string& of) {
    bytes_ += from.size();
    check_most("bytes of all texts up to " + of, bytes_, kMostTexts);
    return text_of(from);
  }
  [[nodiscard]] std::string name(capnp::Text::Reader from, const std::string& of) {
    check_most("bytes of a name of " + of, from.size(), kMostName);
    return text(from, of);
  }

 private:
  std::size_t bytes_ = 0;
};

Leaf read_leaf(wire::Leaf::Reader from, Texts& texts) {
  Leaf l{
      .name = texts.name(from.getName(), "a leaf"), .low = from.getLow(), .high = from.getHigh()};
  const std::string what = "leaf '" + l.name + "'";
  l.dtype = type_of(from.getDtype(), l.name);
  const auto shape = from.getShape();
  const auto given = from.getGiven();
  check_most("dimensions of " + what, shape.size(), kMostPlaces);
  check_most("names in 'given' of " + what, given.size(), kMostPlaces);
  for (const std::int64_t n : shape) l.shape.push_back(n);
  l.unit = texts.text(from.getUnit(), what);
  l.doc = texts.text(from.getDoc(), what);
  l.group = texts.name(from.getGroup(), what);
  l.index_of = texts.name(from.getIndexOf(), what);
  for (const auto head : given) l.given.push_back(texts.name(head, what));
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

Record read_record(wire::Record::Reader from, std::uint32_t most_leaves, const std::string& what,
                   Texts& texts) {
  check_most("leaves of the " + what, from.getLeaves().size(), most_leaves);
  check_most("groups of the " + what, from.getGroups().size(), kMostLeaves);
  Record record;
  for (const auto leaf : from.getLeaves()) record.leaves.push_back(read_leaf(leaf, texts));
  for (const auto group : from.getGroups())
    record.groups.push_back({texts.name(group.getName(), "a group"), group.getCapacity()});
  return record;
}

std::vector<Metric> read_metrics(capnp::List<wire::Metric>::Reader from, Texts& texts) {
  check_most("metrics", from.size(), kMostLeaves);
  std::vector<Metric> all;
  for (const auto m : from) {
    std::string name = texts.name(m.getName(), "a metric");
    const std::string what = "metric '" + name + "'";
    all.push_back({std::move(name), texts.text(m.getUnit(), what), m.getLowerIsBetter(),
                   texts.text(m.getDoc(), what)});
  }
  return all;
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
  Texts texts;
  Spec spec{.name = texts.name(from.getName(), "the environment")};
  spec.summary = texts.text(from.getSummary(), "the summary");
  spec.reference = texts.text(from.getReference(), "the reference");
  spec.version = static_cast<int>(from.getVersion());
  spec.observation = read_record(from.getObservation(), kMostLeaves, "observation", texts);
  spec.action = read_record(from.getAction(), kMostHeads, "action", texts);
  spec.metrics = read_metrics(from.getMetrics(), texts);
  spec.traits.system = from.getSystem();
  spec.traits.replayable = from.getReplayable();
  spec.traits.twin = texts.name(from.getTwin(), "the twin");
  spec.text = texts.text(from.getText(), "the environment's text");
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
