// Explaining policies: an environment so small that every figure is known, then what holds in all.
#include "park/trees/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/core/layout.h"
#include "park/envs/envs.h"
#include "park/trees/explain_decision.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/toy_shop.h"

namespace park::trees {
namespace explain_test {

constexpr std::int32_t kDecisions = 4;
constexpr std::array<float, kDecisions + 1> kLevels{1.5f, 4.5f, 6.5f, 9.5f, 0};

/// Two boxes, the first with one item and the second with two. Every episode has the same four
/// decisions: which item is taken. The boxes are in turn the own one.
class Shelf final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "shelf", .summary = "items of boxes", .reference = "none"};
    s.observation.groups = {{"items", 3}, {"boxes", 2}};
    Leaf box{.name = "item.box", .dtype = DType::i32, .low = 0, .high = 1, .doc = "x"};
    box.group = "items";
    box.index_of = "boxes";
    Leaf size{.name = "item.size", .low = 0, .high = 100, .doc = "x", .group = "items"};
    Leaf own{.name = "box.own", .dtype = DType::u8, .low = 0, .high = 1, .doc = "x"};
    own.group = "boxes";
    s.observation.leaves = {box, size, own, {.name = "level", .low = 0, .high = 100, .doc = "x"}};
    s.action.leaves = {{.name = "item",
                        .dtype = DType::i32,
                        .low = 0,
                        .high = 2,
                        .doc = "x",
                        .index_of = "items"}};
    s.metrics = {{"moves", "1", true, "decisions"}};
    return s;
  }
  Shelf() : layout_(spec().observation) {}

  void reset(const Episode&, Row row) override { write(row, now_ = 0); }
  Outcome step(ConstRow, Row row) override {
    write(row, ++now_);
    return {.elapsed_s = static_cast<double>(now_),
            .end = now_ == kDecisions ? End::terminated : End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = now_; }

 private:
  void write(Row row, std::int32_t now) const {
    row.resize(layout_.group("items"), 3);
    row.resize(layout_.group("boxes"), 2);
    const auto t = static_cast<float>(now);
    std::ranges::copy(std::array<std::int32_t, 3>{0, 1, 1},
                      row[layout_.field<std::int32_t>("item.box")].begin());
    std::ranges::copy(std::array{5.0f, 3 + t, 9 - t},
                      row[layout_.field<float>("item.size")].begin());
    const auto own = row[layout_.field<std::uint8_t>("box.own")];
    own[0] = now % 2 == 0 ? 1 : 0;
    own[1] = 1 - own[0];
    row.scalar(layout_.field<float>("level")) = kLevels[static_cast<std::size_t>(now)];
  }

  Batch layout_;
  std::int32_t now_ = 0;
};

/// What policies of the shelf see.
struct View {
  explicit View(const Spec& spec) : layout(spec.observation), action(spec.action) {}
  [[nodiscard]] float level(ConstRow row) const { return row.scalar(layout.field<float>("level")); }
  void take(Row row, std::int32_t item) const {
    row.scalar(action.field<std::int32_t>("item")) = item;
  }
  Batch layout, action;
};

/// Takes the smallest item of its own box; above level 8 that of the first box.
class Porter final : public RowPolicy {
 public:
  explicit Porter(const Spec& spec) : view_(spec) {}

 private:
  void choose(const Ask&, ConstRow row, Row action) override {
    const auto own = row[view_.layout.field<std::uint8_t>("box.own")];
    const auto size = row[view_.layout.field<float>("item.size")];
    const bool second = view_.level(row) <= 8 && own[1] > own[0];
    view_.take(action, !second ? 0 : size[1] <= size[2] ? 1 : 2);
  }
  View view_;
};

/// Takes the smaller item of the second box; refuses rows that have not one own box.
class Strict final : public RowPolicy {
 public:
  explicit Strict(const Spec& spec) : view_(spec) {}

 private:
  void choose(const Ask&, ConstRow row, Row action) override {
    const auto own = row[view_.layout.field<std::uint8_t>("box.own")];
    if (own[0] == own[1]) throw Error(Errc::invalid_config, "box.own: one box is the own one");
    const auto size = row[view_.layout.field<float>("item.size")];
    view_.take(action, size[1] <= size[2] ? 1 : 2);
  }
  View view_;
};

/// Takes the first item once the levels that it has seen add up to more than 10, the last one before.
class Counter final : public RowPolicy {
 public:
  explicit Counter(const Spec& spec) : view_(spec) {}
  void start(std::uint32_t slot, const Episode&, Rng) override { sums_[slot] = 0; }

 private:
  void choose(const Ask& ask, ConstRow row, Row action) override {
    float& sum = sums_[ask.slot];
    sum += view_.level(row);
    view_.take(action, sum > 10 ? 0 : 2);
  }
  View view_;
  std::map<std::uint32_t, float> sums_;
};

class Stubborn final : public RowPolicy {
 public:
  explicit Stubborn(const Spec& spec) : view_(spec) {}

 private:
  void choose(const Ask&, ConstRow, Row action) override { view_.take(action, 0); }
  View view_;
};

class Explaining : public testing::Test {
 protected:
  Explaining() {
    envs::register_all(registry_);
    registry_.add_env<test::ToyShop>();
    registry_.add_env(Shelf::spec(), [] { return std::make_unique<Shelf>(); });
    add<Porter>("porter");
    add<Counter>("counter");
    add<Strict>("strict");
    add<Stubborn>("stubborn");
    plan_ = {.env = "shelf", .policy = "porter", .episodes = 10};
  }
  template <class P>
  void add(const char* name) {
    registry_.add_policy(
        {.name = name, .summary = "x", .reference = "none", .environments = {"shelf"}},
        [](const Spec& spec) { return std::make_unique<P>(spec); });
  }
  [[nodiscard]] Explanation all() const { return *explain(registry_, plan_, nobody_); }
  [[nodiscard]] DecisionExplanation one(std::uint64_t episode, std::uint64_t decision) const {
    return *explain_decision(registry_, plan_, episode, decision, nobody_);
  }
  [[nodiscard]] std::string refused(std::uint64_t episode, std::uint64_t decision) const {
    try {
      static_cast<void>(one(episode, decision));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::invalid_config);
      return e.what();
    }
    return "";
  }

  Registry registry_;
  ExplainPlan plan_;
  ExplainProgress nobody_ = [](const char*, std::uint64_t) { return true; };
};

TEST_F(Explaining, TheGainRatioOfTheOwnBox) {
  const Explanation out = all();
  EXPECT_EQ(out.decisions, 40u);
  ASSERT_EQ(out.heads.size(), 1u);
  ASSERT_EQ(out.heads[0].levels.size(), 2u);
  const LevelFigures& boxes = out.heads[0].levels[0];
  EXPECT_EQ(boxes.name, "boxes");
  EXPECT_TRUE(boxes.referred);
  EXPECT_EQ(boxes.choices, 40u);
  // Of four decisions three take the own box: H(Y) = H(A) = 1 bit, H(Y|A) = H(1/4) = 0.811278.
  ASSERT_EQ(boxes.binary.size(), 1u);
  EXPECT_EQ(boxes.binary[0].leaf, "box.own");
  EXPECT_NEAR(boxes.binary[0].gain_ratio(), 1 - 0.8112781244591328, 1e-12);
  const std::vector<std::uint32_t> draw{2, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_NEAR(boxes.binary[0].gain_ratio(draw), 1 - 0.8112781244591328, 1e-12);
}

TEST_F(Explaining, RulesOfBoxesAndOfItems) {
  const Explanation out = all();
  const LevelFigures &boxes = out.heads[0].levels[0], &items = out.heads[0].levels[1];
  const auto share = [](const LevelFigures& level, const std::string& leaf, bool smallest) {
    for (const SimpleRule& r : level.rules)
      if (r.first.empty() && r.leaf == leaf && r.smallest == smallest) return r.share.value();
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(share(boxes, "box.own", false), 0.75);
  EXPECT_DOUBLE_EQ(boxes.by_chance.value(), 0.5);
  EXPECT_EQ(items.choices, 10u) << "the second box is taken once in an episode";
  EXPECT_DOUBLE_EQ(share(items, "item.size", true), 1);
  EXPECT_DOUBLE_EQ(share(items, "item.size", false), 0);
}

TEST_F(Explaining, TheForestForetellsWhatAlwaysComesBack) {
  const LevelFigures boxes = all().heads[0].levels[0];
  ASSERT_TRUE(boxes.forest);
  EXPECT_EQ(boxes.forest->fitted, 5u);
  EXPECT_EQ(boxes.forest->seen[0].count(), 20);
  EXPECT_EQ(boxes.forest->unseen[0].count(), 20);
  EXPECT_EQ(boxes.forest->seen[0].value(), 1);
  EXPECT_EQ(boxes.forest->unseen[0].value(), 1);
  EXPECT_EQ(boxes.forest->unseen[1].value(), 1) << "one of two";
  plan_.threads = 3;
  EXPECT_EQ(all().heads[0].levels[0].forest->seen[0].hits, boxes.forest->seen[0].hits);
}

TEST_F(Explaining, OneEpisodeHasNoUnseenOnes) {
  plan_.episodes = 1;
  const Explanation out = all();
  EXPECT_TRUE(std::isnan(out.heads[0].levels[0].forest->unseen[0].value()));
  ASSERT_EQ(out.missing.size(), 2u);
  EXPECT_EQ(out.missing[0],
            "item, level boxes: no accuracy on unseen episodes, none of theirs is free");
  EXPECT_EQ(out.missing[1],
            "item, level items: no gain ratio, no leaf with the bounds 0 and 1 differs");
}

TEST_F(Explaining, TheSmallestChangeIsThatOfTheLevel) {
  // Decision 1: own box 1, level 4.5, sizes 4 and 8. The level differs by sqrt(8.5) from decision to
  // decision: beyond 8 it is 3.5 / 2.915 away. A box that is no longer the own one is 2 away, and a size
  // that becomes the larger one 2.5.
  const DecisionExplanation out = one(3, 1);
  EXPECT_EQ(out.decisions, 4u);
  EXPECT_EQ(out.learnt, 36u);
  EXPECT_TRUE(out.from_rows);
  ASSERT_EQ(out.heads.size(), 1u);
  const HeadReason& head = out.heads[0];
  EXPECT_EQ(head.candidates, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(head.chosen, 1u);
  EXPECT_TRUE(head.scores.empty());
  EXPECT_EQ(head.references.at(0).first, "boxes");
  EXPECT_EQ(head.references.at(0).second, (std::vector<std::int64_t>{0, 1, 1}));
  ASSERT_TRUE(head.change);
  EXPECT_EQ(head.change->leaf, "level");
  EXPECT_FALSE(head.change->element);
  EXPECT_EQ(head.change->from, 4.5f);
  EXPECT_GT(head.change->to, 8);
  EXPECT_NEAR(head.change->to, 8, 0.01);
  EXPECT_NEAR(head.change->deviations, 3.5 / std::sqrt(8.5), 0.004);
  EXPECT_EQ(head.change->choice, 0u);
}

TEST_F(Explaining, SeveralDecisionsLieAtEqualDistances) {
  const auto two = explain_decisions(registry_, plan_, 3, 2, nobody_);
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ(two->at(0).decision, 0u);
  EXPECT_EQ(two->at(0).time_s, 0);
  EXPECT_EQ(two->at(1).decision, 2u);
  EXPECT_EQ(two->at(1).time_s, 1 + 2);
  const auto four = explain_decisions(registry_, plan_, 3, 99, nobody_);
  ASSERT_EQ(four->size(), 4u);
  const HeadReason alone = one(3, 1).heads.at(0), beside = four->at(1).explanation.heads.at(0);
  EXPECT_EQ(beside.chosen, alone.chosen);
  EXPECT_EQ(beside.agreed, alone.agreed);
  EXPECT_EQ(beside.levels.at(0).reasons.values, alone.levels.at(0).reasons.values);
  ASSERT_TRUE(alone.change && beside.change);
  EXPECT_EQ(beside.change->to, alone.change->to);
}

TEST_F(Explaining, TimesOfDecisionsAreThoseOfTheEpisode) {
  plan_ = {
      .env = "dag_scheduling(executors=4,jobs=4,arrival=poisson)", .policy = "fair", .episodes = 2};
  const EnvOfText env = registry_.env(plan_.env);
  const Batch o(env.spec().observation);
  std::vector<double> times;
  const auto see = [&](const Ask& ask, ConstRow row, ConstRow) {
    if (ask.episode.id == 1) times.push_back(row.scalar(o.field<double>("cluster.time_s")));
  };
  play_decisions(env, *registry_.policy(plan_.policy, env.spec()), plan_, see, nobody_);
  const auto some = explain_decisions(registry_, plan_, 1, 5, nobody_);
  ASSERT_EQ(some->size(), 5u);
  for (const ExplainedDecision& d : *some)
    EXPECT_NEAR(d.time_s + times[0], times.at(d.decision), 1e-6) << d.decision;
  EXPECT_GT(some->back().time_s, some->front().time_s);
}

TEST_F(Explaining, TheSurrogateFollowsTheExample) {
  const HeadReason head = one(3, 1).heads.at(0);
  EXPECT_TRUE(head.agrees);
  EXPECT_EQ(head.agreed, 4u);
  EXPECT_EQ(head.compared, 4u);
  ASSERT_EQ(head.levels.size(), 2u);
  EXPECT_EQ(head.levels[0].name, "boxes");
  EXPECT_EQ(head.levels[0].items, 2u);
  EXPECT_EQ(head.levels[0].place, 0u);
  EXPECT_EQ(head.levels[0].value, 1);
  EXPECT_EQ(head.levels[1].name, "items");
  EXPECT_EQ(head.levels[1].items, 2u);
}

TEST_F(Explaining, APolicyThatRemembersSeesTheEpisodeAgain) {
  plan_.policy = "counter";
  const DecisionExplanation out = one(0, 2);
  EXPECT_FALSE(out.from_rows);
  const HeadReason& head = out.heads.at(0);
  EXPECT_EQ(head.chosen, 0u) << "1.5 + 4.5 + 6.5 is more than 10";
  ASSERT_TRUE(head.change);
  EXPECT_EQ(head.change->leaf, "level");
  EXPECT_LE(head.change->to, 4);
  EXPECT_NEAR(head.change->to, 4, 0.01);
  EXPECT_EQ(head.change->choice, 2u);
}

TEST_F(Explaining, RowsThatThePolicyRefusesAreCounted) {
  plan_.policy = "strict";
  const HeadReason head = one(0, 1).heads.at(0);  // sizes 4 and 8, which are whole everywhere
  EXPECT_GT(head.refused, 0u);
  ASSERT_TRUE(head.change);
  EXPECT_EQ(head.change->leaf, "item.size");
  EXPECT_EQ(std::abs(head.change->to - head.change->from), 5) << "4 and 4 leave the first one";
  EXPECT_EQ(head.change->choice, 2u);
}

TEST_F(Explaining, WhereNothingMattersNoChangeIsFound) {
  plan_.policy = "stubborn";
  const HeadReason head = one(0, 1).heads.at(0);
  EXPECT_FALSE(head.change);
  EXPECT_GT(head.asked, 20u);
}

TEST_F(Explaining, BadPlacesAreNamed) {
  EXPECT_EQ(refused(10, 0), "episode: must be 0 .. 9, one of the episodes that are played");
  EXPECT_EQ(refused(0, 4), "decision: must be 0 .. 3, the decisions of episode 0");
  plan_.episodes = 1;
  EXPECT_EQ(refused(0, 0), "episodes: must be at least 2, the surrogate is fitted on the others");
  plan_ = {.env = "load_balance(servers=1,jobs=3)", .policy = "random", .episodes = 2};
  EXPECT_EQ(refused(0, 1),
            "decision: decision 1 of episode 0 is not free, every head has one value");
  EXPECT_EQ(test::error_of(
                [&] { static_cast<void>(explain_decisions(registry_, plan_, 0, 3, nobody_)); }),
            "episode: no decision of episode 0 leaves a choice");
  try {
    static_cast<void>(all());
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("leaves a choice in"), std::string::npos);
  }
}

TEST_F(Explaining, AnEndIsKept) {
  nobody_ = [](const char*, std::uint64_t) { return false; };
  EXPECT_FALSE(explain(registry_, plan_, nobody_));
  EXPECT_FALSE(explain_decision(registry_, plan_, 0, 0, nobody_));
}

void check_reason(const HeadReason& head, const std::string& where) {
  EXPECT_GE(head.candidates.size(), 2u) << where;
  EXPECT_LT(head.chosen, head.candidates.size()) << where;
  for (const LevelReason& level : head.levels) {
    const double sum = std::accumulate(level.reasons.values.begin(), level.reasons.values.end(),
                                       level.reasons.base);
    EXPECT_NEAR(sum, level.value, 1e-5 * std::max(1.0, std::abs(level.value))) << where;
  }
  if (head.change) {
    EXPECT_NE(head.change->choice, head.chosen) << where;
  }
}

TEST_F(Explaining, EveryEnvironmentIsExplained) {
  plan_.episodes = 4;
  std::vector<std::string> envs = test::small_envs();
  envs.push_back("toy_shop(customers=8)");
  for (const std::string& env : envs) {
    plan_.env = env;
    plan_.policy =
        env.starts_with("toy") ? "random" : test::policies_that_play(registry_, env).front();
    if (test::only_continuous(registry_.spec(env))) {
      EXPECT_EQ(
          test::error_of([&] { static_cast<void>(all()); }),
          "env: all heads of " + env + " are continuous, which have no candidates to explain");
      continue;
    }
    const Explanation out = all();
    EXPECT_GT(out.decisions, 0u) << env;
    EXPECT_FALSE(out.heads.empty()) << env;
    bool explained = false;
    for (std::uint64_t d = 0; d < 20 && !explained; ++d) {
      try {
        for (const HeadReason& head : one(1, d).heads) check_reason(head, env);
        explained = true;
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("is not free"), std::string::npos) << e.what();
      }
    }
    EXPECT_TRUE(explained) << env;
  }
}

}  // namespace explain_test
}  // namespace park::trees
