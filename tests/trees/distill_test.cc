// Distilling: teachers that a small tree can copy exactly, and what it owes whoever calls it.
#include "park/trees/distill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/envs.h"
#include "park/trees/tree_policy.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/temporary_file.h"
#include "tests/kit/toy_shop.h"

namespace park::trees {
namespace distill_test {

class Distilling : public testing::Test {
 protected:
  Distilling() {
    envs::register_all(registry_);
    registry_.add_env<test::ToyShop>();
    plan_.env = "load_balance(servers=4,jobs=60)";
    plan_.teacher = "least_work";
    plan_.leaves = 4;
    plan_.rounds = 2;
    plan_.episodes = 4;
    plan_.validation_episodes = 5;
  }
  DistillOutcome run() {
    DistillWatcher nobody;
    return distill(registry_, plan_, nobody);
  }

  Registry registry_;
  DistillPlan plan_;
};

TEST_F(Distilling, ATeacherThatComparesOneFigureIsCopied) {
  const DistillOutcome out = run();
  EXPECT_TRUE(out.finished);
  ASSERT_EQ(out.rounds.size(), 2u);
  EXPECT_NEAR(out.rounds[out.best].metric, out.teacher, 0.01 * out.teacher);
  ASSERT_EQ(out.agreement.size(), 1u);
  const Agreement& free = out.agreement[0].free;
  EXPECT_GT(free.decisions, 100u);
  EXPECT_GE(static_cast<double>(free.first), 0.97 * static_cast<double>(free.decisions));
  EXPECT_GE(free.first_three, free.first);
  EXPECT_LE(out.tree.leaves(), 4u);
}

TEST_F(Distilling, ThreadsAndRepetitionChangeNothing) {
  const DistillOutcome one = run();
  plan_.threads = 3;
  const DistillOutcome three = run();
  EXPECT_EQ(print_tree_file(one.tree), print_tree_file(three.tree));
  EXPECT_EQ(one.teacher, three.teacher);
}

TEST_F(Distilling, ATreeTeachesByItsScores) {
  const test::TemporaryFile file(print_tree_file(run().tree));
  register_policies(registry_);
  plan_.teacher = "tree(file=\"" + file.path() + "\")";
  plan_.weights = LessonWeights::gap;
  const DistillOutcome out = run();
  EXPECT_NEAR(out.rounds[out.best].metric, out.teacher, 0.01 * out.teacher);
}

TEST_F(Distilling, ForestsAreBagged) {
  plan_.trees = 3;
  const DistillOutcome one = run();
  const Forest& forest = one.tree.heads[0].levels[0].forest;
  ASSERT_EQ(forest.trees.size(), 3u);
  EXPECT_LE(one.tree.leaves(), 12u);
  EXPECT_NEAR(one.rounds[one.best].metric, one.teacher, 0.01 * one.teacher);
  const auto samples = [&](std::size_t t) { return *forest.trees[t].nodes.back().samples; };
  EXPECT_FALSE(samples(0) == samples(1) && samples(1) == samples(2)) << "the same lessons for all";
  plan_.threads = 2;
  EXPECT_EQ(print_tree_file(run().tree), print_tree_file(one.tree));
}

TEST(LessonTables, ResamplingDrawsWholeDecisions) {
  LessonTable table{.features = {parse_expression("a")}};
  table.columns.resize(1);
  for (std::uint32_t d = 0; d < 50; ++d)
    for (const float x : {0.0f, 1.0f, 2.0f})
      table.add(std::vector{100.0f * static_cast<float>(d) + x}, 0, 2, 0, d);
  const LessonTable drawn = table.resampled(Rng(7));
  ASSERT_EQ(drawn.samples() % 3, 0u);
  EXPECT_LT(drawn.samples(), 150u);
  double weight = 0;
  for (std::size_t s = 0; s < drawn.samples(); ++s) {
    weight += drawn.weights[s];
    EXPECT_EQ(drawn.decisions[s], drawn.decisions[s - s % 3]);
    EXPECT_EQ(drawn.weights[s], drawn.weights[s - s % 3]);
  }
  EXPECT_EQ(weight, 300) << "as many decisions as before";
}

TEST_F(Distilling, FinishedRoundsAreKept) {
  struct AfterOne final : DistillWatcher {
    bool stop() override { return over; }
    void on_round(const DistillRound&, const TreeFile&) override { over = true; }
    bool over = false;
  } watcher;
  const DistillOutcome out = distill(registry_, plan_, watcher);
  EXPECT_FALSE(out.finished);
  ASSERT_EQ(out.rounds.size(), 1u);
  static_cast<void>(TreePolicy(out.tree, "t", registry_.spec(plan_.env)));
}

TEST_F(Distilling, EveryEnvironmentTeaches) {
  plan_.episodes = plan_.validation_episodes = 2;
  plan_.rounds = 1;
  plan_.leaves = 8;
  std::vector<std::string> all = test::small_envs();
  all.push_back("toy_shop(customers=8)");
  for (const std::string& env : all) {
    plan_.env = env;
    plan_.teacher =
        env.starts_with("toy") ? "random" : test::policies_that_play(registry_, env).front();
    const DistillOutcome out = run();
    EXPECT_TRUE(out.finished) << env;
    const std::string text = print_tree_file(out.tree);
    const TreeFile again = parse_tree_file(text, "t");
    EXPECT_EQ(print_tree_file(again), text) << env;
    static_cast<void>(TreePolicy(again, "t", registry_.spec(env)));
  }
}

TEST_F(Distilling, ValidationMayBeElsewhere) {
  const double here = run().teacher;
  plan_.validate_on = "load_balance(servers=4,jobs=30)";
  EXPECT_LT(run().teacher, here) << "shorter episodes have shorter queues";
  plan_.validate_on = "load_balance(servers=5)";
  try {
    static_cast<void>(run());
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("validate_on: load_balance(servers=5) has another layout"),
              std::string::npos)
        << e.what();
  }
}

// Every limit is that of the formula: 7 executors over the jobs in the system, rounded up.
TEST_F(Distilling, ASeparateStrategyGivesAHead) {
  plan_.env = "dag_scheduling(executors=7,jobs=6)";
  plan_.teacher = "srpt_capped";
  plan_.leaves = 12;
  plan_.separate = "fair";
  const DistillOutcome out = run();
  ASSERT_EQ(out.tree.heads.size(), 2u);
  EXPECT_EQ(out.tree.heads[1].name, "limit");
  EXPECT_NE(print_tree_file(out.tree).find(
                "head limit\n  value = cluster.executors#sum / jobs#count + 0.5\n"),
            std::string::npos);
  EXPECT_GT(out.tree.leaves(), 2u);
  const RandomEpisodes episodes(Rng(3), {.count = 2});
  const auto stream = registry_.stream(plan_.env, episodes);
  const Heads heads(stream->spec());
  TreePolicy policy(out.tree, "t", stream->spec());
  std::size_t free = 0;
  play(*stream, policy, Rng(4), [&](const Decisions& d, const Batch& actions) {
    for (std::size_t r = 0; r < d.asked.size(); ++r) {
      const ConstRow row = d.observation.row(r);
      const Batch& o = d.observation;
      const auto stage = static_cast<std::size_t>(heads.get(actions.row(r), 0));
      const auto of = static_cast<std::size_t>(row[o.field<std::int32_t>("stage.job")][stage]);
      const auto jobs = static_cast<std::int32_t>(row.count(o.group("jobs")));
      const std::int32_t low = row[o.field<std::int32_t>("limit.min")][of];
      const std::int32_t share = std::clamp((7 + jobs - 1) / jobs, low, 7);
      EXPECT_EQ(heads.get(actions.row(r), 1), share) << jobs << " jobs, at least " << low;
      if (share > low) ++free;
    }
    return true;
  });
  EXPECT_GT(free, 10u);
}

TEST_F(Distilling, AnUnknownStrategyIsNamed) {
  plan_.separate = "fair";
  EXPECT_EQ(test::error_of([&] { static_cast<void>(run()); }),
            "load_balance has no separate strategy 'fair'; it has none");
}

TEST_F(Distilling, WhereNothingIsChosenNothingIsLearnt) {
  plan_.env = "load_balance(servers=1,jobs=5)";
  try {
    static_cast<void>(run());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_NE(std::string(e.what()).find("no decision that leaves a choice"), std::string::npos);
  }
}

TEST(ShareLeaves, TheFirstPartGetsHalf) {
  using Shares = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(share_leaves(32, {2, 1}), (Shares{{16, 8}, {8}}));
  EXPECT_EQ(share_leaves(16, {2, 1, 0}), (Shares{{8, 4}, {4}, {}}));
  EXPECT_EQ(share_leaves(32, {1}), (Shares{{32}}));
  EXPECT_EQ(share_leaves(2, {2, 1}), (Shares{{2, 2}, {2}}));
}

}  // namespace distill_test
}  // namespace park::trees
