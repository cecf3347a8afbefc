// Servers whose spec is absurd: sizes that overflow, bounds that are none, texts for terminals.
#include <cmath>

#include "tests/siege/evil/evil.h"

namespace park::siege {
namespace {

using Shape = std::vector<std::int64_t>;
constexpr std::int64_t kTwo31 = std::int64_t{1} << 31, kTwo32 = std::int64_t{1} << 32,
                       kTwo61 = std::int64_t{1} << 61, kTwo62 = std::int64_t{1} << 62;

Evil action_shape(const std::string& name, Shape shape) {
  std::string about = "an action leaf of shape [";
  for (const std::int64_t n : shape) about += (about.back() == '[' ? "" : ",") + std::to_string(n);
  return {.name = "action-" + name, .about = about + "]", .spoil = respec([shape](Spec& s) {
                                                            s.action.leaves.at(0).shape = shape;
                                                          })};
}

Evil observation_shape(const std::string& name, Shape shape) {
  return {.name = "observation-" + name,
          .about = "an observation leaf of shape " + name,
          .spoil = respec([shape](Spec& s) { s.observation.leaves.at(0).shape = shape; })};
}

void add_shapes(Evils& all) {
  all.push_back(action_shape("2-62", {kTwo62}));
  all.push_back(action_shape("2-32-2-32", {kTwo32, kTwo32}));
  all.push_back(action_shape("2-31", {kTwo31}));
  all.push_back(action_shape("2-28", {std::int64_t{1} << 28}));
  all.push_back(action_shape("0", {0}));
  all.push_back(action_shape("negative", {-1}));
  all.push_back(action_shape("deep", Shape(100'000, 1)));
  all.back().expect = Evil::Expect::shown;  // of one element
  all.push_back(observation_shape("2-61", {kTwo61}));
  all.push_back(observation_shape("2-31", {kTwo31}));
  all.push_back(observation_shape("2-62-4", {kTwo62, 4}));
}

void add_groups(Evils& all) {
  const auto grouped = [](std::int64_t capacity, Shape shape) {
    return respec([=](Spec& s) {
      s.observation.groups.push_back({"siege", capacity});
      s.observation.leaves.push_back({.name = "siege.x",
                                      .dtype = DType::f32,
                                      .shape = shape,
                                      .low = 0,
                                      .high = 1,
                                      .doc = "x",
                                      .group = "siege"});
    });
  };
  all.push_back({.name = "capacity-2-40",
                 .about = "a group of capacity 2^40, elements of 2^30",
                 .spoil = grouped(std::int64_t{1} << 40, {std::int64_t{1} << 30})});
  all.push_back(
      {.name = "capacity-negative", .about = "a group of capacity -1", .spoil = grouped(-1, {})});
  all.push_back({.name = "group-unknown",
                 .about = "a leaf of a group that is not there",
                 .spoil = respec([](Spec& s) { s.observation.leaves.at(0).group = "nowhere"; })});
  all.push_back({.name = "index-unknown",
                 .about = "an action that selects from no group",
                 .spoil = respec([](Spec& s) { s.action.leaves.at(0).index_of = "nowhere"; })});
}

void add_bounds(Evils& all) {
  all.push_back({.name = "bounds-nan",
                 .about = "a leaf whose bounds are no numbers",
                 .lines = 10,
                 .spoil = respec([](Spec& s) {
                   s.action.leaves.at(0).low = s.action.leaves.at(0).high = std::nan("");
                 })});
  all.push_back({.name = "bounds-inverted",
                 .about = "a leaf whose low is above its high",
                 .spoil = respec([](Spec& s) {
                   s.action.leaves.at(0).low = 5;
                   s.action.leaves.at(0).high = 1;
                 })});
  all.push_back({.name = "bounds-2-53",
                 .about = "an action of 2^53 values",
                 .expect = Evil::Expect::shown,
                 .spoil = respec([](Spec& s) { s.action.leaves.at(0).high = 0x1p53; })});
  all.push_back({.name = "leaves-100000",
                 .about = "a record of 100 000 leaves",
                 .spoil = respec([](Spec& s) {
                   for (int i = 0; i < 100'000; ++i) {
                     Leaf leaf = s.observation.leaves.at(0);
                     leaf.name = "x" + std::to_string(i);
                     s.observation.leaves.push_back(leaf);
                   }
                 })});
  all.push_back({.name = "leaves-none",
                 .about = "a spec without leaves",
                 .spoil = respec([](Spec& s) { s.observation = s.action = {}; })});
  all.push_back({.name = "layout-hash",
                 .about = "a layoutHash of other leaves",
                 .spoil = on(&Envelope::Builder::isStreamOpened, [](Turn& turn) {
                   turn.reply.getStreamOpened().getSpec().setLayoutHash(1);
                   return After::send;
                 })});
}

void add_texts(Evils& all) {
  constexpr const char* kClipboard = "x\x1b]52;c;ZXZpbA==\x07y\x1b[2J\x9b";
  all.push_back({.name = "name-escape",
                 .about = "control characters in names of leaves",
                 .spoil = respec([=](Spec& s) { s.action.leaves.at(0).name += kClipboard; })});
  all.push_back({.name = "texts-escape",
                 .about = "control characters in units, docs and summary",
                 .expect = Evil::Expect::shown,
                 .spoil = respec([=](Spec& s) {
                   s.summary = s.reference = s.text = s.name = kClipboard;
                   for (Metric& m : s.metrics) m.unit = m.doc = kClipboard;
                   for (Leaf& l : s.observation.leaves) l.unit = l.doc = kClipboard;
                 })});
  all.push_back({.name = "metric-escape",
                 .about = "control characters in names of metrics",
                 .expect = Evil::Expect::shown,
                 .spoil = respec([=](Spec& s) {
                   for (Metric& m : s.metrics) m.name += kClipboard;
                 })});
  all.push_back({.name = "summary-huge",
                 .about = "a summary of 30 MiB",
                 .expect = Evil::Expect::shown,
                 .spoil = respec([](Spec& s) { s.summary = std::string(30U << 20U, 'x'); })});
}

}  // namespace

void add_spec_evil(Evils& all) {
  add_shapes(all);
  add_groups(all);
  add_bounds(all);
  add_texts(all);
}

}  // namespace park::siege
