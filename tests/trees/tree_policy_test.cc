// The policy `tree`: choices and scores of a made-up row by hand, what binding refuses, then a
// generic tree of every registered environment in play.
#include "park/trees/tree_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/envs.h"
#include "park/trees/feature_list.h"
#include "park/trees/mixed_policy.h"
#include "tests/kit/memory.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/temporary_file.h"
#include "tests/kit/toy_shop.h"
#include "tests/trees/depot.h"
#include "tests/trees/sample_tree.h"

namespace park::trees {
namespace tree_policy_test {

using test::Depot;
using Choice = std::vector<std::int32_t>;

class TreeOfDepot : public testing::Test {
 protected:
  std::string text_ = test::sample_tree(layout_text(Depot().spec));
  Depot depot_;

  void replace(const std::string& from, const std::string& to) {
    const std::size_t at = text_.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text_.replace(at, from.size(), to);
  }
  [[nodiscard]] TreePolicy policy() const {
    return {parse_tree_file(text_, "f"), "f", depot_.spec};
  }
  Choice act() {
    TreePolicy tree = policy();
    return chosen(tree);
  }
  Choice chosen(Policy& policy) {
    Decisions d(depot_.spec);
    d.asked.emplace_back();
    d.observation.append(depot_.observation);
    Batch actions(depot_.spec.action);
    actions.resize(1);
    policy.act(d, actions);
    Choice all;
    for (std::size_t h = 0; h < 3; ++h) all.push_back(depot_.heads.get(actions.row(0), h));
    return all;
  }
  std::string complaint() {
    try {
      static_cast<void>(policy());
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

// Owner 2 came before owner 0, so it has the leaf 0.61; its parcels 0 and 3 are as large. The share
// next to 6.6 is 7; the first desk is as good as any.
TEST_F(TreeOfDepot, DecidesLevelByLevel) { EXPECT_EQ(act(), (Choice{0, 7, 0})); }

TEST_F(TreeOfDepot, RulesComeFirst) {
  replace("parcel.size = 1 and depot.free > 2", "parcel.size = 2 and depot.free > 2");
  EXPECT_EQ(act(), (Choice{4, 3, 0}));
  replace("depot.free > 2", "depot.free > 6");
  EXPECT_EQ(act(), (Choice{0, 7, 0})) << "the rule fits no candidate";
  replace("depot.free < 3: 2", "depot.free < 7: 5");
  EXPECT_EQ(act(), (Choice{0, 5, 0}));
}

/// The other tree chooses parcel 4, and 5 as the share of any parcel.
TEST_F(TreeOfDepot, AMixtureTakesEachHeadFromOneOfTwo) {
  TreePolicy first = policy();
  replace("parcel.size = 1 and depot.free > 2", "parcel.size = 2 and depot.free > 2");
  replace("depot.free < 3: 2", "depot.free < 7: 5");
  TreePolicy second = policy();
  const auto mixed = [&](std::vector<bool> by_second) {
    MixedPolicy both(depot_.spec, first, second, std::move(by_second));
    return chosen(both);
  };
  EXPECT_EQ(mixed({false, false, false}), (Choice{0, 7, 0}));
  EXPECT_EQ(mixed({true, false, false}), (Choice{4, 3, 0})) << "the first one's share of parcel 4";
  EXPECT_EQ(mixed({false, true, false}), (Choice{0, 5, 0}));
  EXPECT_EQ(mixed({true, true, true}), (Choice{4, 4, 0})) << "4 at most for parcel 4";
  EXPECT_EQ(mixed({true, true, true}), chosen(second));
  EXPECT_EQ(heads_with_choice(depot_.heads), (std::vector<std::size_t>{0, 1, 2}));
  RandomPolicy random(depot_.spec);
  MixedPolicy without(depot_.spec, first, random, {true, false, false});
  EXPECT_THROW(chosen(without), Error) << "it has no scores";
}

// 6 free places for 3 owners are 2 each; 7 are 2.33, rounded up. Owner 2 may have 2 to 9.
TEST_F(TreeOfDepot, AFormulaGivesANumber) {
  replace("  value\n    if owner.weight <= 2: 3 (10)\n    else: 6.6 (20)\n",
          "  value = depot.free / owners#count + 0.5  # rounded up\n");
  EXPECT_EQ(act(), (Choice{0, 2, 0}));
  depot_.set<float>("depot.free", {7});
  EXPECT_EQ(act(), (Choice{0, 3, 0}));
  depot_.set<float>("depot.free", {100});
  EXPECT_EQ(act(), (Choice{0, 9, 0}));
  replace("depot.free < 3: 2", "depot.free > 99: 4");
  EXPECT_EQ(act(), (Choice{0, 4, 0})) << "rules come first";
  replace("owners#count", "owners.count");
  EXPECT_EQ(complaint().find("f:26: there is no leaf 'owners.count'"), 0u) << complaint();
}

TEST_F(TreeOfDepot, TiesDecideBetweenEqualScores) {
  replace(
      "if owner.since_s#rank <= 0.5\n        if slack <= 21.4: 0.61 (912 of 8120)\n        else: "
      "0.17 (2103 of 9000)\n      else: 0.03",
      "score: 0.4");
  EXPECT_EQ(act()[0], 1) << "the first owner, whose larger parcel comes first";
  replace("level owners\n", "level owners\n      ties owner.weight down\n");
  EXPECT_EQ(act()[0], 0);
  replace("parcel.size down", "parcel.size up");
  replace("owner.weight down", "owner.weight up");
  EXPECT_EQ(act()[0], 4);
}

TEST_F(TreeOfDepot, ScoresFollowTheOrderOfChoice) {
  TreePolicy p = policy();
  Candidates c;
  std::vector<float> s;
  ASSERT_TRUE(p.scores(depot_.observation, 0, depot_.action, c, s));
  ASSERT_EQ(c.value, (Choice{0, 1, 3, 4}));
  EXPECT_FLOAT_EQ(s[0], std::log(0.61f) + std::log(0.75f));
  EXPECT_LT(s[2], s[0]);
  EXPECT_NEAR(s[2], s[0], 1e-5);
  EXPECT_NEAR(s[1], std::log(0.03f) + std::log(0.75f), 1e-5);
  EXPECT_LT(s[3], s[1]) << "the smaller parcel of the same owner";
  ASSERT_TRUE(p.scores(depot_.observation, 1, depot_.action, c, s));
  EXPECT_EQ(c.value[static_cast<std::size_t>(std::ranges::max_element(s) - s.begin())], 7);
}

TEST_F(TreeOfDepot, WhatDoesNotFitTheSpecIsNamed) {
  replace("      if owner.since_s#rank <= 0.5", "      if owner.wait_s <= 0.5");
  EXPECT_EQ(complaint().substr(0, 38), "f:12: there is no leaf 'owner.wait_s';");
  replace("owner.wait_s", "parcel.size");
  EXPECT_EQ(complaint().substr(0, 20), "f:12: leaf 'parcel.s");
  replace("parcel.size <= 0.5", "slack <= 0.5");
  replace("level owners", "level parties");
  EXPECT_EQ(complaint(), "f:11: head 'parcel' has no level 'parties'; it is parcels, owners");
  replace("level parties", "level owners");
  replace("head desk", "head task");
  EXPECT_EQ(complaint(), "f:29: there is no head 'task'; it is parcel, share, desk");
  replace("head task\n  level values: 1\n", "");
  EXPECT_EQ(complaint(), "f: head 'desk' is missing");
  replace("owner.weight / share.min", "slack / share.min");
  EXPECT_EQ(complaint(), "f:6: there is no leaf 'slack'");
  text_ = test::sample_tree("0123456789abcdef");
  EXPECT_EQ(complaint().substr(0, 40), "f:3: is for the layout 0123456789abcdef ");
}

TEST_F(TreeOfDepot, NothingAllocatesOnceWarm) {
  TreePolicy p = policy();
  Decisions d(depot_.spec);
  d.asked.emplace_back();
  d.observation.append(depot_.observation);
  Batch actions(depot_.spec.action);
  actions.resize(1);
  p.act(d, actions);
  const test::AllocationCount count;
  for (int i = 0; i < 10; ++i) p.act(d, actions);
  EXPECT_EQ(count.count(), 0u);
}

/// A tree of two leaves about a feature in the middle of the list.
Forest two_leaves(const std::vector<Expression>& features, std::uint32_t salt) {
  Forest f;
  f.inputs = {features[(features.size() / 2 + salt) % features.size()]};
  TreeNode root{{}, 0, 0.75f}, low, high;
  root.yes = 1;
  root.no = 2;
  low.value = 0.25f;
  high.value = 0.75f;
  f.trees = {{{root, low, high}}};
  return f;
}

/// A small file for any environment.
std::string generic_tree(const Spec& spec) {
  const Heads heads(spec);
  TreeFile file{.env = spec.name, .layout = layout_text(spec)};
  const FeatureHints hints = hints_of(spec);
  for (const Derived& d : hints.features) file.features.push_back({{}, d});
  for (std::size_t h = 0; h < heads.size(); ++h) {
    HeadTrees trees{{}, heads[h].name};
    for (const Level& level : default_levels(spec, heads, h)) {
      const auto features = feature_list(spec, heads, level, hints);
      if (level.kind != Level::Kind::situation)
        trees.levels.push_back({{}, level_name(heads, level), {}, two_leaves(features, 0)});
      else
        for (std::uint32_t k = 0; k < heads[h].width; ++k)
          trees.values.push_back(two_leaves(features, k));
    }
    file.heads.push_back(std::move(trees));
  }
  return print_tree_file(file);
}

/// As bits: a mean of nothing is no number.
using Ends = std::map<std::uint64_t, std::vector<std::uint64_t>>;

/// Metrics by episode. Every decision is legal, else this throws; scores name what was chosen.
Ends played(const Registry& registry, const std::string& env, const std::string& policy_text,
            std::uint32_t slots) {
  const RandomEpisodes episodes(Rng(8), {.count = 3});
  const auto stream = registry.stream(env, episodes, {.slots = slots});
  const Spec& spec = stream->spec();
  const Heads heads(spec);
  const auto policy = registry.policy(policy_text, spec);
  Ends ends;
  Candidates c;
  std::vector<float> scores;
  play(*stream, *policy, Rng(9), [&](const Decisions& d, const Batch& actions) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const auto m = d.metrics_of(i);
      for (const double v : m)
        ends[d.ended[i].episode.id].push_back(std::bit_cast<std::uint64_t>(v));
    }
    for (std::size_t h = 0; h < heads.size() && !d.asked.empty(); ++h) {
      if (heads[h].kind == HeadKind::continuous) continue;
      ASSERT_TRUE(policy->scores(d.observation, h, actions, c, scores));
      for (std::size_t r = 0; r < c.rows(); ++r) {
        const auto first = scores.begin() + c.offsets[r], last = scores.begin() + c.offsets[r + 1];
        const auto best = std::max_element(first, last) - scores.begin();
        ASSERT_EQ(c.value[static_cast<std::size_t>(best)], heads.get(actions.row(r), h)) << env;
      }
    }
  });
  return ends;
}

TEST(TreeConformance, EveryEnvironmentPlaysATree) {
  Registry registry;
  envs::register_all(registry);
  registry.add_env<test::ToyShop>();
  register_policies(registry);
  std::vector<std::string> all = test::small_envs();
  all.push_back("toy_shop(customers=8)");
  for (const std::string& env : all) {
    const std::string text = generic_tree(registry.spec(env));
    EXPECT_EQ(print_tree_file(parse_tree_file(text, "f")), text);
    const test::TemporaryFile file(text);
    const std::string policy = "tree(file=\"" + file.path() + "\")";
    const Ends once = played(registry, env, policy, 1);
    EXPECT_EQ(once.size(), 3u) << env;
    EXPECT_EQ(played(registry, env, policy, 3), once) << env << ": slots must not matter";
  }
}

TEST(TreeConformance, AFileIsNeeded) {
  Registry registry;
  envs::register_all(registry);
  register_policies(registry);
  const Spec spec = registry.spec(test::small_envs().front());
  EXPECT_THROW(static_cast<void>(registry.policy("tree", spec)), Error);
  EXPECT_THROW(static_cast<void>(registry.policy("tree(file=there/is/none)", spec)), Error);
}

TEST(TreeConformance, OtherPeopleOpenNoFiles) {
  Registry registry;
  envs::register_all(registry);
  register_policies(registry);
  const test::ScratchFolder folder("trees");
  test::write_text(folder.file("a.tree"), "park-tree 1\n");
  const std::string text = "tree(file=\"" + folder.file("a.tree") + "\")";
  Access access;
  EXPECT_THROW(static_cast<void>(registry.canonical_policy(text, access)), Error);
  access.allow_data(folder.file(""));
  EXPECT_EQ(registry.canonical_policy(text, access), text);
}

}  // namespace tree_policy_test
}  // namespace park::trees
