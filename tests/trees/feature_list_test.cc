// Lists of features from a spec: what is in them, what hints change, and hints that are wrong.
#include "park/trees/feature_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/envs.h"
#include "park/trees/features.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/toy_rooms.h"
#include "tests/kit/toy_shop.h"
#include "tests/trees/depot.h"

namespace park::trees {
namespace feature_list_test {

std::vector<std::string> texts(const std::vector<Expression>& all) {
  std::vector<std::string> out;
  for (const Expression& e : all) out.push_back(to_text(e));
  return out;
}

TEST(FeatureList, HasLeavesRanksAndCounts) {
  const test::Depot d;
  EXPECT_EQ(texts(feature_list(d.spec, d.heads,
                               {.head = 0, .kind = Level::Kind::linked, .group = "owners"}, {})),
            (std::vector<std::string>{
                "owner.weight",    "owner.weight#rank",    "owner.since_s",  "owner.since_s#rank",
                "share.min",       "share.min#rank",       "share.max",      "share.max#rank",
                "parcel.size#max", "parcel.size#max#rank", "depot.free",     "desk.speed[0]",
                "desk.speed[1]",   "desk.speed[2]",        "desk.speed#sum", "depot.past[0]",
                "depot.past[1]",   "depot.past#sum",       "parcels#count",  "owners#count",
                "#candidates",     "owners#candidates"}));
  const auto parcels = texts(feature_list(d.spec, d.heads, {.head = 0}, {}));
  EXPECT_EQ(std::vector<std::string>(parcels.begin(), parcels.begin() + 4),
            (std::vector<std::string>{"parcel.size", "parcel.size#rank",
                                      "parcel.size#rank_in_owners", "owner.weight"}));
  const auto desks = texts(feature_list(d.spec, d.heads, {.head = 2}, {}));
  EXPECT_EQ(desks,
            (std::vector<std::string>{"depot.free", "desk.speed", "desk.speed#rank",
                                      "depot.past[0]", "depot.past[1]", "depot.past#sum",
                                      "parcels#count", "owners#count", "#candidates", "#value"}));
}

/// A category is split off against the others; of many the number stays, without ranks.
TEST(FeatureList, CategoriesAreSplitOffOneByOne) {
  using park::test::ToyRooms;
  const Spec spec = ToyRooms::spec({.rooms = 2, .things = 3});
  const Heads heads(spec);
  const auto doors = texts(feature_list(spec, heads, {.head = 1}, {}));
  EXPECT_EQ(std::vector<std::string>(doors.begin(), doors.begin() + 3),
            (std::vector<std::string>{"1 - min(1, max(room - 5, 5 - room))",
                                      "1 - min(1, max(room - 6, 6 - room))",
                                      "1 - min(1, max(doors - 0, 0 - doors))"}));
  Features features(spec, heads, {.head = 1},
                    {parse_expression(doors[0]), parse_expression(doors[1])});
  Batch observation(spec.observation), action(spec.action);
  observation.append().scalar(observation.field<std::int32_t>("room")) = 6;
  action.resize(1);
  const std::vector<std::int32_t> candidates = {0, 1, 2};
  features.compute(observation.row(0), action.row(0), candidates);
  EXPECT_EQ(features[2][0], 0);
  EXPECT_EQ(features[2][1], 1);
  const Spec many = ToyRooms::spec({.rooms = 500});
  EXPECT_EQ(texts(feature_list(many, Heads(many), {.head = 0}, {})).front(), "room");
}

TEST(FeatureList, FollowsTheHints) {
  const test::Depot d;
  const FeatureHints hints = parse_feature_hints(
      "# a comment\n"
      "without owner.weight, share.min, share.max\n"
      "ranks_of owner.since_s  # a time\n"
      "feature slack = parcel.size / depot.free\n"
      "feature heavy = owner.weight * 2\n"
      "rule parcel \"the small one\": parcel.size = 1 and depot.free > 2\n"
      "ties owners owner.weight down, owner.since_s up\n"
      "have share = share.min - 1\n"
      "separate even share = depot.free / owners#count + 0.5\n"
      "separate even desk = 0\n",
      "hints");
  const auto owners = texts(feature_list(
      d.spec, d.heads, {.head = 0, .kind = Level::Kind::linked, .group = "owners"}, hints));
  EXPECT_EQ(owners[0], "owner.since_s#rank");
  EXPECT_EQ(owners[1], "parcel.size#max");
  for (const char* text : {"slack#max", "slack#max#rank", "heavy", "heavy#rank"})
    EXPECT_EQ(std::ranges::count(owners, text), 1) << text;
  ASSERT_EQ(hints.rules.size(), 1u);
  EXPECT_EQ(hints.rules[0].second.conditions.size(), 2u);
  ASSERT_EQ(hints.ties.size(), 1u);
  EXPECT_FALSE(hints.ties[0].second[0].up);
  EXPECT_EQ(to_text(hints.have.at("share")), "share.min - 1");
  const auto even = separate_heads(hints, "even", d.spec);
  ASSERT_EQ(even.size(), 2u);
  EXPECT_EQ(to_text(even.at("share")), "depot.free / owners#count + 0.5");
  EXPECT_TRUE(separate_heads(hints, "", d.spec).empty());
  EXPECT_EQ(test::error_of([&] { static_cast<void>(separate_heads(hints, "odd", d.spec)); }),
            "depot has no separate strategy 'odd'; it has even");
}

TEST(FeatureList, ABadHintIsNamed) {
  const auto error = [](const std::string& text) {
    return test::error_of([&] { static_cast<void>(parse_feature_hints(text, "hints")); });
  };
  EXPECT_EQ(error("without a\n\nrule parcel x = 1\n"),
            "hints:3: expected 'rule', then \"REASON\": CONDITIONS, found 'rule parcel x = 1'");
  EXPECT_EQ(error("separate even share\n"),
            "hints:1: expected 'separate NAME HEAD = EXPRESSION', found 'separate even share'");
  EXPECT_EQ(error("separate even a = 1\nseparate even a = 2\n"),
            "hints:2: strategy 'even' gives 'a' twice");
}

/// Plays at random and computes all features of all levels of every row.
void compute_all(const Registry& registry, const std::string& env) {
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry.stream(env, episodes);
  const Spec& spec = stream->spec();
  const Heads heads(spec);
  const FeatureHints hints = hints_of(spec);
  std::vector<Features> all;
  for (std::size_t h = 0; h < heads.size(); ++h)
    for (const Level& level : default_levels(spec, heads, h))
      all.emplace_back(spec, heads, level, feature_list(spec, heads, level, hints), hints.features);
  RandomPolicy policy(spec);
  std::size_t rows = 0;
  play(*stream, policy, Rng(4), [&](const Decisions& d, const Batch& actions) {
    if (d.asked.empty()) return true;
    for (Features& f : all) {
      Candidates c;
      if (heads[f.level().head].kind != HeadKind::continuous)
        heads.candidates(f.level().head, d.observation, actions, c);
      f.compute(d.observation.row(0), actions.row(0), c.value);
      for (std::size_t i = 0; i < f.items(); ++i)
        for (const float v : f[i]) EXPECT_TRUE(std::isfinite(v)) << env;
    }
    return ++rows < 60;
  });
  EXPECT_GT(rows, 0u) << env;
}

TEST(FeatureList, IsThereForEveryEnvironment) {
  Registry registry;
  envs::register_all(registry);
  registry.add_env<test::ToyShop>();
  compute_all(registry, "toy_shop");
  for (const std::string& env : test::small_envs()) compute_all(registry, env);
}

TEST(FeatureList, BundledHintsSpeakOfWhatIsThere) {
  Registry registry;
  envs::register_all(registry);
  for (const std::string& env : test::small_envs()) {
    const Spec spec = registry.spec(env);
    const Heads heads(spec);
    const FeatureHints hints = hints_of(spec);
    std::vector<Derived> earlier;
    for (const Derived& d : hints.features) {
      check_names(spec, d, earlier);
      earlier.push_back(d);
    }
    for (const std::string& name : hints.without)
      EXPECT_TRUE(spec.observation.find(name) != nullptr ||
                  std::ranges::count(earlier, name, &Derived::name) == 1)
          << name;
    for (const std::string& name : hints.ranks_of)
      EXPECT_NE(spec.observation.find(name), nullptr) << name;
    for (const auto& [head, rule] : hints.rules) EXPECT_NE(spec.action.find(head), nullptr) << head;
    std::vector<const std::map<std::string, Expression>*> numbers{&hints.have, &hints.most};
    for (const auto& [name, given] : hints.separate) numbers.push_back(&given);
    for (const auto* of : numbers)
      for (const auto& [head, e] : *of) {
        ASSERT_NE(spec.action.find(head), nullptr) << head;
        const auto h = static_cast<std::size_t>(
            std::ranges::find(spec.action.leaves, head, &Leaf::name) - spec.action.leaves.begin());
        static_cast<void>(
            compile(spec, heads, {.head = h, .kind = Level::Kind::situation}, {e}, earlier));
      }
  }
}

}  // namespace feature_list_test
}  // namespace park::trees
