// Specs of clients that lie: sizes that overflow, and leaves that belong together with other widths.
// Each is opened with every policy and then asked. The server has to refuse it in one line, or to
// answer.
#include <cmath>
#include <limits>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"
#include "tests/siege/attack.h"

namespace park::siege {
namespace {

/// A question with one row whose columns are as long as `row_bytes` says, zeros all of them.
Fill question_of(std::uint32_t id, const Record& observation, std::uint64_t most_column) {
  return [=](Envelope::Builder e) {
    auto ask = e.initAsk();
    ask.setId(id);
    auto question = ask.initQuestion();
    question.setAsked(1);
    question.initBegun(1);
    ask.initChance(8);
    auto rows = question.initObservation();
    rows.setCount(1);
    auto counts = rows.initCounts(static_cast<unsigned>(observation.groups.size()));
    for (unsigned g = 0; g < counts.size(); ++g) counts.init(g, 4);
    auto columns = rows.initColumns(static_cast<unsigned>(observation.leaves.size()));
    for (unsigned c = 0; c < columns.size(); ++c) {
      const Leaf& leaf = observation.leaves[c];
      double bytes = leaf.group.empty() ? static_cast<double>(size_of(leaf.dtype)) : 0;
      for (const std::int64_t n : leaf.shape) bytes *= static_cast<double>(n);
      if (bytes >= 0 && bytes <= static_cast<double>(most_column))
        columns.init(c, static_cast<unsigned>(bytes));
    }
  };
}

/// Opens a policy on a spec and asks it once. A session of its own: a crash is seen at once.
void try_spec(Siege& siege, const Spec& spec, const std::string& policy) {
  constexpr std::uint64_t kMostColumn = 30U << 20U;
  Talker talker(siege.target.endpoint);
  talker.open(siege.rng);
  const auto opened = talker.call([&](Envelope::Builder e) {
    e.initOpenPolicy().setPolicy(policy);
    bridge::write(spec, e.getOpenPolicy().initSpec());
  });
  siege.did();
  if (opened.isPolicyOpened()) {
    const std::uint32_t id = opened.getPolicyOpened().getId();
    static_cast<void>(talker.call(question_of(id, spec.observation, kMostColumn)));
  }
  siege.judge(talker);
}

void absurd_shapes(Siege& siege) {
  using Shape = std::vector<std::int64_t>;
  constexpr std::int64_t kTwo = 2;
  const std::vector<Shape> shapes{{kTwo << 61},
                                  {kTwo << 31, kTwo << 31},
                                  {kTwo << 60},
                                  {kTwo << 30},
                                  {kTwo << 20, kTwo << 20, kTwo << 22},
                                  {std::numeric_limits<std::int64_t>::max()},
                                  {std::numeric_limits<std::int64_t>::min()},
                                  {0},
                                  {-1, -1},
                                  Shape(1000, 2)};
  const Spec honest = registry().spec(kEnv);
  for (const Shape& shape : shapes) {
    Spec action = honest;
    action.action.leaves.push_back({.name = "x", .shape = shape, .low = 0, .high = 1, .doc = "x"});
    try_spec(siege, action, "random");
    action.action.leaves = {action.action.leaves.back()};
    try_spec(siege, action, "random");
    Spec seen = honest;
    seen.observation.leaves.push_back(
        {.name = "x", .dtype = DType::f64, .shape = shape, .low = 0, .high = 1, .doc = "x"});
    try_spec(siege, seen, "random");
    seen.observation.leaves.back().group = "g";
    seen.observation.groups.push_back({"g", kTwo << 39});
    try_spec(siege, seen, "random");
  }
}

/// Changes of one leaf.
std::vector<void (*)(Leaf&)> leaf_changes() {
  return {[](Leaf& l) { l.shape = {1}; },
          [](Leaf& l) { l.shape = {}; },
          [](Leaf& l) { l.shape = {100'000}; },
          [](Leaf& l) { l.shape.push_back(2); },
          [](Leaf& l) { l.dtype = l.dtype == DType::f64 ? DType::u8 : DType::f64; },
          [](Leaf& l) { l.group = l.group.empty() ? "siege" : ""; },
          [](Leaf& l) { l.low -= 1; },
          [](Leaf& l) { l.high = 1e18; },
          [](Leaf& l) { l.name += "x"; },
          [](Leaf& l) { l.index_of = "siege"; }};
}

/// Every policy that says it plays an environment, with each leaf of its spec changed in turn.
void changed_leaves(Siege& siege) {
  std::uint64_t left = siege.count(300, std::numeric_limits<std::uint64_t>::max());
  std::vector<std::pair<Spec, std::string>> all;
  for (const std::string& name : registry().env_names()) {
    try {
      Spec spec = registry().spec(name);
      for (const std::string& policy : registry().policies_for(spec))
        all.emplace_back(spec, policy);
    } catch (const Error&) {  // one that needs what is not here
    }
  }
  siege.rng.shuffle(std::span(all));
  for (const auto& [spec, policy] : all)
    for (Record Spec::*record : {&Spec::observation, &Spec::action})
      for (std::size_t l = 0; l < (spec.*record).leaves.size(); ++l)
        for (const auto change : leaf_changes()) {
          // Few of many: chosen at random.
          if (!siege.options.full && siege.rng.below(40) != 0) continue;
          if (left-- == 0) return;
          Spec changed = spec;
          change((changed.*record).leaves[l]);
          (changed.*record).groups.push_back({"siege", 10});
          try_spec(siege, changed, policy);
        }
}

/// Two specs that ended a server: a policy's leaf is of width 1, the others are of 3 000 000.
void known_widths(Siege& siege) {
  for (const auto& [leaf, policy] : {std::pair{"server.jobs", "power_of_d"},
                                     std::pair{"server.drain_s", "shortest_expected_delay"}}) {
    Spec spec = registry().spec(kEnv);
    for (Leaf& l : spec.observation.leaves)
      if (l.name.starts_with("server.") || l.name.starts_with("mask."))
        l.shape = {l.name == leaf ? 1 : 3'000'000};
    for (Leaf& l : spec.action.leaves) l.high = 2'999'999;
    try_spec(siege, spec, policy);
  }
}

}  // namespace

void add_specs_attack(Attacks& all) {
  all.push_back({.name = "spec-shapes",
                 .about = "specs whose sizes overflow 64 bits, then a question",
                 .on = Attack::On::policies,
                 .run = absurd_shapes});
  all.push_back({.name = "spec-widths",
                 .about = "leaves of one axis with widths of 1 and 3 000 000",
                 .on = Attack::On::policies,
                 .run = known_widths});
  all.push_back({.name = "spec-leaves",
                 .about = "every leaf of every spec changed, for every policy",
                 .on = Attack::On::policies,
                 .run = changed_leaves});
}

}  // namespace park::siege
