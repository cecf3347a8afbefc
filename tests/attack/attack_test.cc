// Attacks on a desk where the best misreports, and what they gain, follow by hand: job 0 takes 15 s,
// job 1 takes 16 s, and the one that looks shorter comes first.
#include "park/attack/attack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "park/attack/search.h"
#include "park/core/error.h"
#include "tests/attack/desk.h"

namespace park::attack {
namespace attack_test {

AttackPlan plan_of(const std::string& policy, Mode mode) {
  AttackPlan plan{.env = "desk", .policy = policy};
  plan.mode = mode;
  plan.targets = 12;
  plan.practice = 2;
  plan.fresh = 2;
  return plan;
}

AttackOutcome attacked(const Registry& registry, const AttackPlan& plan) {
  AttackWatcher watcher;
  return attack(registry, plan, watcher);
}

/// Moments of job 1 on the desk of two: one, at the start.
struct AtTheDesk {
  explicit AtTheDesk(const std::string& policy)
      : player(registry, "desk", policy, {}), moments(player.spec(), 1) {
    static_cast<void>(player.play({Play{}}, [&](std::size_t, const Moment& now, ConstRow) {
      if (player.competes(now, 1)) moments.add(now);
    }));
  }
  Registry registry = test::desk_registry();
  Player player;
  Moments moments;
};

TEST(Search, SlopesAreCentralDifferencesOfTheChoice) {
  AtTheDesk desk("likes_writers");
  ASSERT_EQ(desk.moments.size(), 1u) << "once it is alone there is no choice";
  const auto objective = make_score_objective(desk.player, desk.moments);
  const std::vector<double> slope =
      slopes(*objective, {.job = 1, .factors = {1, 1}}, {.epsilon = 0.2, .allowed = {1, 1}});
  // Job 0 has the score -1 + 0.5, job 1 -1.1 f + 0.5 g: the choice is a logistic of the difference.
  const auto share = [](double f, double g) { return 1 / (1 + std::exp(1.1 * f - 0.5 * g - 0.5)); };
  ASSERT_EQ(slope.size(), 2u);
  EXPECT_NEAR(slope[0], (share(1.1, 1) - share(0.9, 1)) / 0.2, 1e-5);
  EXPECT_NEAR(slope[1], (share(1, 1.1) - share(1, 0.9)) / 0.2, 1e-5);
}

TEST(Search, GreedyFindsTheBestDeclaration) {
  AtTheDesk desk("likes_writers");
  const auto objective = make_score_objective(desk.player, desk.moments);
  const Misreport start{.job = 1, .factors = {1, 1}};
  EXPECT_EQ(greedy_search(*objective, start, {.epsilon = 0.2, .allowed = {1, 1}}).factors,
            (std::vector<double>{0.8, 1.2}));
  EXPECT_EQ(greedy_search(*objective, start, {.epsilon = 0.2, .allowed = {1, 0}}).factors,
            (std::vector<double>{0.8, 1}));
  const std::vector<Misreport> all = candidates_of(*objective, 1, {1, 0}, 0.2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_FALSE(all[i].honest());
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(all[i], all[k]);
  }
}

TEST(Attack, TheSecondJobOvertakesByUnderstating) {
  const Registry registry = test::desk_registry();
  for (const Mode mode : {Mode::white, Mode::black}) {
    const AttackOutcome out = attacked(registry, plan_of("shortest", mode));
    ASSERT_TRUE(out.finished);
    const Attacked& victim = out.policies.front();
    ASSERT_EQ(victim.attack.size(), 12u);
    EXPECT_EQ(victim.excluded, 0u);
    std::size_t overtakes = 0;
    for (const TargetResult& t : victim.attack) {
      // 31 s become 16 s, and the other job's 15 s become 31 s. The first job has nothing to gain.
      EXPECT_DOUBLE_EQ(t.ratio, t.job == 1 ? 16.0 / 31 : 1);
      EXPECT_DOUBLE_EQ(t.harm, t.job == 1 ? 31.0 / 15 - 1 : 0);
      EXPECT_EQ(t.decisions, 1u);
      overtakes += t.job;
    }
    ASSERT_GT(overtakes, 0u);
    ASSERT_LT(overtakes, 12u);
    const AttackFigures f = figures_of(victim.attack);
    EXPECT_DOUBLE_EQ(f.success.mean, static_cast<double>(overtakes) / 12);
    EXPECT_NEAR(f.gain.mean, 1 - 16.0 / 31, 1e-12);
  }
}

TEST(Attack, TooSmallAnEpsilonGainsNothing) {
  AttackPlan plan = plan_of("shortest", Mode::white);
  plan.epsilon = 0.01;  // 16 s look like 15.84 s
  const AttackOutcome out = attacked(test::desk_registry(), plan);
  for (const TargetResult& t : out.policies.front().attack) EXPECT_EQ(t.ratio, 1);
}

TEST(Attack, APolicyThatLooksAtNothingDeclaredIsSafe) {
  AttackPlan plan = plan_of("shortest", Mode::white);
  plan.beside = {"first_come"};
  const AttackOutcome out = attacked(test::desk_registry(), plan);
  ASSERT_EQ(out.policies.size(), 2u);
  EXPECT_EQ(out.policies[1].mode, Mode::black) << "it has no scores";
  for (const auto* targets : {&out.policies[1].attack, &out.policies[1].null})
    for (const TargetResult& t : *targets) EXPECT_EQ(t.ratio, 1);
}

TEST(Attack, TheNullIsNotChosen) {
  const AttackOutcome out = attacked(test::desk_registry(), plan_of("shortest", Mode::random));
  bool worse = false;
  for (const TargetResult& t : out.policies.front().null)
    worse |= t.job == 0 && t.ratio == 31.0 / 15;
  EXPECT_TRUE(worse) << "somebody overstates the first job, and is overtaken";
}

TEST(Attack, ThreadsChangeNothing) {
  const Registry registry = test::desk_registry(4);
  AttackPlan plan = plan_of("shortest", Mode::black);
  const AttackOutcome alone = attacked(registry, plan);
  plan.threads = 3;
  const AttackOutcome shared = attacked(registry, plan);
  ASSERT_EQ(alone.policies[0].attack.size(), shared.policies[0].attack.size());
  for (std::size_t i = 0; i < alone.policies[0].attack.size(); ++i) {
    EXPECT_EQ(alone.policies[0].attack[i].ratio, shared.policies[0].attack[i].ratio);
    EXPECT_EQ(alone.policies[0].null[i].ratio, shared.policies[0].null[i].ratio);
  }
}

/// Ends after a few targets.
class Impatient final : public AttackWatcher {
 public:
  bool stop() override { return targets_ >= 3; }
  void on_target(const std::string&) override { ++targets_; }

 private:
  int targets_ = 0;
};

TEST(Attack, JudgedTargetsAreKeptWhenItIsEnded) {
  Impatient watcher;
  const AttackOutcome out =
      attack(test::desk_registry(), plan_of("shortest", Mode::white), watcher);
  EXPECT_FALSE(out.finished);
  ASSERT_EQ(out.policies.size(), 1u);
  EXPECT_EQ(out.policies.front().attack.size(), 3u);
}

std::string error_of(const Registry& registry, const AttackPlan& plan) {
  try {
    static_cast<void>(attacked(registry, plan));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Attack, WhatCannotBeAttackedIsNamed) {
  EXPECT_EQ(error_of(test::desk_registry(), plan_of("first_come", Mode::white)),
            "mode: white needs a policy that has scores; first_come has none");
  EXPECT_EQ(error_of(test::desk_registry(2, false), plan_of("shortest", Mode::white)),
            "env: users of desk declare nothing that they could misreport");
  EXPECT_EQ(error_of(test::desk_registry(1), plan_of("shortest", Mode::white)),
            "env: no job of 12 competes with others in a decision, so there is no target");
  for (const double epsilon : {0.0, -1.0, 1.5, std::nan("")}) {
    AttackPlan plan = plan_of("shortest", Mode::white);
    plan.epsilon = epsilon;
    EXPECT_EQ(error_of(test::desk_registry(), plan), "epsilon: must be above 0 and at most 1");
  }
}

TEST(Figures, ShareHasWilsonsInterval) {
  const AttackFigure f = share_figure(8, 10);  // Newcombe, Statistics in Medicine 17, 1998
  EXPECT_DOUBLE_EQ(f.mean, 0.8);
  EXPECT_NEAR(f.ci95.low, 0.4902, 5e-5);
  EXPECT_NEAR(f.ci95.high, 0.9433, 5e-5);
  EXPECT_EQ(share_figure(0, 10).ci95.low, 0);
}

TEST(Declarations, FactorsBeyondEpsilonAreInadmissible) {
  EXPECT_FALSE(complaint_of_factors({}, 2, 0.2));
  EXPECT_FALSE(complaint_of_factors({0.8, 1.2}, 2, 0.2));
  EXPECT_EQ(complaint_of_factors({1}, 2, 0.2).value_or(""),
            "factors: the job declares 2 quantities, not 1");
  EXPECT_EQ(complaint_of_factors({1, 1.25}, 2, 0.2).value_or(""),
            "factors: quantity 1 is declared as 1.25 of the truth; allowed is 0.8 to 1.2");
  EXPECT_TRUE(complaint_of_factors({0, 1}, 2, 1));
}

}  // namespace attack_test
}  // namespace park::attack
