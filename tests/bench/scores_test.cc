// Scales and scores: their values, what their intervals cover, and that failing never raises them.
#include "park/bench/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "park/bench/aggregate.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/score_figures.h"
#include "park/core/rng.h"

namespace park::bench {
namespace scores_test {

using Values = std::vector<double>;

struct Played {
  const char* policy;
  Values values;
  bool baseline = true, bound = false;
};

/// One environment; its metric is "m".
void add_env(BenchResults& results, const std::string& name, bool lower,
             const std::vector<Played>& all) {
  const std::size_t e = results.environments.size();
  results.suite.environments.push_back(
      {.name = name, .episodes = all.front().values.size(), .metrics = {"m"}});
  results.environments.push_back(
      {.text = name, .metrics = {{.name = "m", .lower_is_better = lower}}});
  for (const Played& one : all) {
    Entry entry{.env = e, .policy = one.policy, .baseline = one.baseline, .bound = one.bound};
    for (std::size_t id = 0; id < one.values.size(); ++id)
      entry.episodes.push_back({.id = id, .metrics = {one.values[id]}});
    results.entries.push_back(std::move(entry));
  }
}

BenchResults one_env(bool lower, const std::vector<Played>& all) {
  BenchResults results;
  add_env(results, "x", lower, all);
  return results;
}

const Standing& standing_of(const ScoreFigures& figures, const BenchResults& results,
                            const std::string& policy) {
  return *std::ranges::find_if(figures.standings, [&](const Standing& one) {
    return results.entries[one.entry].policy == policy;
  });
}

TEST(Scale, CountsFromRandomToTheBestBaselineAndOnToTheBound) {
  const std::vector<Played> all{{"random", {10, 12}},
                                {"good", {4, 6}},
                                {"better", {3, 5}},
                                {"limit", {1, 3}, false, true},
                                {"mine", {2, 5}, false}};
  const BenchResults results = one_env(true, all);
  const Scale scale = scale_of(results, 0).value();
  EXPECT_EQ(results.entries[scale.best].policy, "better");
  EXPECT_DOUBLE_EQ(scale.zero, 11);
  EXPECT_DOUBLE_EQ(scale.one, 4);
  EXPECT_DOUBLE_EQ(scale.limit, 2);
  const ScoreFigures figures = score_figures(results);
  ASSERT_EQ(figures.standings.size(), 5u);
  const Standing& mine = standing_of(figures, results, "mine");
  EXPECT_DOUBLE_EQ(mine.score.value, 7.5 / 7);
  EXPECT_DOUBLE_EQ(mine.percent_better.value, 12.5);
  EXPECT_DOUBLE_EQ(mine.percent_to_bound.value, 25);
  EXPECT_DOUBLE_EQ(standing_of(figures, results, "better").percent_better.value, 0);
  EXPECT_DOUBLE_EQ(standing_of(figures, results, "limit").percent_to_bound.value, 100);
  EXPECT_DOUBLE_EQ(standing_of(figures, results, "random").score.value, 0);
}

TEST(Scale, WorksWhereMoreIsBetterAndWhereMeansAreNegative) {
  const Scale more{.lower = false, .zero = -6, .one = 2, .limit = 4};
  EXPECT_DOUBLE_EQ(more.score(3), 9.0 / 8);
  EXPECT_DOUBLE_EQ(more.percent_better(3), 50);
  EXPECT_DOUBLE_EQ(more.percent_to_bound(3), 50);
  const Scale negative{.lower = false, .zero = -60, .one = -10, .limit = -8};
  EXPECT_DOUBLE_EQ(negative.percent_better(-9), 10);
  EXPECT_DOUBLE_EQ(negative.percent_better(-12), -20);
  EXPECT_DOUBLE_EQ(negative.percent_to_bound(-9), 50);
}

TEST(Scale, HasNoPercentWithoutAMeanOrABetterBound) {
  EXPECT_TRUE(std::isnan(Scale{.zero = 5, .one = 0}.percent_better(1)));
  EXPECT_TRUE(std::isnan(Scale{.zero = 5, .one = 3, .limit = 3}.percent_to_bound(1)));
  EXPECT_TRUE(std::isnan(Scale{.zero = 5, .one = 3, .limit = 4}.percent_to_bound(1)));
  EXPECT_TRUE(std::isnan((Scale{.zero = 5, .one = 3}.percent_to_bound(1))));
  EXPECT_TRUE(std::isnan(Scale{.zero = 5, .one = 5}.score(1)));
  EXPECT_FALSE(scale_of(one_env(true, {{"random", {1, 1}}, {"bad", {2, 2}}}), 0).has_value());
  EXPECT_FALSE(scale_of(one_env(true, {{"good", {1, 1}}, {"bad", {2, 2}}}), 0).has_value());
}

// Scores of 1 in 40 episodes and of 0 in 4.
TEST(Aggregates, EnvironmentsWeighAlikeWhateverNumberOfEpisodesTheyHave) {
  const Strata scores{Values(40, 1), Values(4, 0)};
  EXPECT_DOUBLE_EQ(mean_of(scores), 0.5);
  EXPECT_DOUBLE_EQ(median_of_means(scores), 0.5);
  EXPECT_DOUBLE_EQ(interquartile_mean(scores), 0.5);
  EXPECT_DOUBLE_EQ(optimality_gap(scores), 0.5);
  const Values limits{0.5};
  EXPECT_DOUBLE_EQ(profile(scores, limits)[0], 0.5);
  // By weight, a quarter at each end is cut: two of the four zeros, 20 of the 40 ones.
  EXPECT_DOUBLE_EQ(interquartile_mean({Values(40, 1), {0, 0, 0.5, 0.5}}), (0.25 + 0.5) / 1);
}

TEST(ScoreFigures, AreOverEnvironmentsOfOneWeight) {
  BenchResults results;
  add_env(results, "long", true,
          {{"random", Values(40, 8)}, {"good", Values(40, 4)}, {"mine", Values(40, 2), false}});
  add_env(results, "short", true,
          {{"random", Values(4, 8)}, {"good", Values(4, 4)}, {"mine", Values(4, 8), false}});
  const ScoreFigures figures = score_figures(results);
  ASSERT_EQ(figures.policies.size(), 3u);
  const PolicyScores& mine = figures.policies[2];
  EXPECT_EQ(mine.environments, (std::vector<std::size_t>{0, 1}));
  EXPECT_DOUBLE_EQ(mine.mean.value, (1.5 + 0) / 2);
  EXPECT_DOUBLE_EQ(mine.iqm.value, (1.5 + 0) / 2);
  EXPECT_DOUBLE_EQ(mine.optimality_gap.value, (0 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(mine.profile.front().value, 1);
  EXPECT_DOUBLE_EQ(mine.mean.interval.low, 0.75);
  EXPECT_DOUBLE_EQ(mine.mean.interval.high, 0.75);
}

/// Episodes differ by a factor of 100, policies by 10 % on each of them.
TEST(ScoreFigures, WhatPoliciesShareOnAnEpisodeIsNoNoise) {
  Rng rng(3);
  Values random, good, mine;
  for (int i = 0; i < 30; ++i) {
    const double size = std::exp(4.6 * rng.uniform());
    random.push_back(3 * size);
    good.push_back(size);
    mine.push_back(0.9 * size);
  }
  const BenchResults results =
      one_env(true, {{"random", random}, {"good", good}, {"mine", mine, false}});
  const Standing one = standing_of(score_figures(results), results, "mine");
  EXPECT_NEAR(one.percent_better.interval.low, 10, 1e-9);
  EXPECT_NEAR(one.percent_better.interval.high, 10, 1e-9);
  EXPECT_NEAR(one.score.interval.low, 1.05, 1e-9);
  EXPECT_NEAR(one.score.interval.high, 1.05, 1e-9);
}

TEST(ScoreFigures, OneEpisodeHasNoInterval) {
  const BenchResults results = one_env(true, {{"random", {5}}, {"good", {2}}});
  const Standing one = standing_of(score_figures(results), results, "good");
  EXPECT_DOUBLE_EQ(one.score.value, 1);
  EXPECT_TRUE(std::isnan(one.score.interval.low));
  EXPECT_TRUE(std::isnan(one.score.interval.high));
}

Values normal(Rng& rng, double mean, double sd) {
  Values all;
  for (int i = 0; i < 30; ++i) all.push_back(mean + sd * rng.normal());
  return all;
}

bool holds(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

/// Of samples with the true means 10, 5 and 4: the score is 1.2, 20 % is better.
TEST(ScoreFigures, IntervalsCoverAlsoWhatTheScaleIsUncertainOf) {
  constexpr int kSamples = 200;
  constexpr BootstrapOptions kFew{.replicates = 300};
  Rng rng(11);
  int score = 0, percent = 0, fixed = 0;
  for (int s = 0; s < kSamples; ++s) {
    const BenchResults results = one_env(true, {{"random", normal(rng, 10, 5)},
                                                {"good", normal(rng, 5, 1)},
                                                {"mine", normal(rng, 4, 1), false}});
    const Standing mine = standing_of(score_figures(results, kFew), results, "mine");
    score += holds(mine.score.interval, 1.2);
    percent += holds(mine.percent_better.interval, 20);
    const Scale scale = scale_of(results, 0).value();
    Values scores = metric_values(results.entries[2].episodes, 0);
    for (double& value : scores) value = scale.score(value);
    fixed += holds(bootstrap(sorted_strata({scores}), {&mean_of}, kFew)[0], 1.2);
  }
  const auto share = [](int covered) { return static_cast<double>(covered) / kSamples; };
  RecordProperty("score", std::to_string(share(score)));
  RecordProperty("percent", std::to_string(share(percent)));
  RecordProperty("fixed", std::to_string(share(fixed)));
  EXPECT_GE(share(score), 0.9);
  EXPECT_GE(share(percent), 0.9);
  EXPECT_LT(share(fixed), 0.85) << "the scale as if it were known";
}

/// Results in which a policy failed in some episodes, as figures count them.
BenchResults failing(BenchResults results, const std::string& policy,
                     const std::set<std::uint64_t>& ids) {
  const auto at = std::ranges::find(results.entries, policy, &Entry::policy);
  const auto index = static_cast<std::size_t>(at - results.entries.begin());
  std::erase_if(at->episodes, [&](const EpisodeResult& e) { return ids.contains(e.id); });
  for (const std::uint64_t id : ids) results.failures.push_back({index, id, 1, "it broke"});
  return with_failures(std::move(results));
}

BenchResults with_bound(bool lower) {
  const double sign = lower ? 1 : -1;
  const auto of = [&](Values values) {
    for (double& value : values) value *= sign;
    return values;
  };
  return one_env(lower, {{"random", of({20, 12, 9, 15})},
                         {"good", of({4, 6, 5, 7})},
                         {"limit", of({1, 3, 2, 2}), false, true},
                         {"mine", of({2, 5, 3, 9}), false}});
}

TEST(Failing, NeverRaisesAScoreOrAPercentage) {
  for (const bool lower : {true, false}) {
    const BenchResults whole = with_bound(lower);
    const Standing before = standing_of(score_figures(whole), whole, "mine");
    for (std::uint64_t id = 0; id < 4; ++id) {
      const BenchResults counted = failing(whole, "mine", {id});
      const ScoreFigures figures = score_figures(counted);
      const Standing after = standing_of(figures, counted, "mine");
      EXPECT_LT(after.score.value, before.score.value) << id;
      EXPECT_LT(after.percent_better.value, before.percent_better.value) << id;
      EXPECT_LT(after.percent_to_bound.value, before.percent_to_bound.value) << id;
      EXPECT_LE(figures.policies[3].iqm.value, score_figures(whole).policies[3].iqm.value) << id;
    }
  }
}

TEST(Failing, OfABaselineOrABoundLeavesNoFigureThatRestsOnIt) {
  const BenchResults whole = with_bound(true);
  for (const char* baseline : {"random", "good"}) {
    const BenchResults counted = failing(whole, baseline, {1});
    EXPECT_FALSE(scale_of(counted, 0).has_value()) << baseline;
    EXPECT_TRUE(score_figures(counted).standings.empty());
  }
  const BenchResults counted = failing(whole, "limit", {1});
  const Standing mine = standing_of(score_figures(counted), counted, "mine");
  EXPECT_TRUE(std::isnan(mine.percent_to_bound.value));
  EXPECT_FALSE(std::isnan(mine.percent_better.value));
}

TEST(PercentileInterval, UndefinedReplicatesWidenIt) {
  Values values;
  for (int i = 0; i <= 100; ++i) values.push_back(i);
  const Interval whole = percentile_interval(values, 0.9);
  EXPECT_DOUBLE_EQ(whole.low, 5);
  EXPECT_DOUBLE_EQ(whole.high, 95);
  values[50] = values[51] = kUndefined;
  const Interval some = percentile_interval(values, 0.9);
  EXPECT_DOUBLE_EQ(some.low, 3);
  EXPECT_DOUBLE_EQ(some.high, 97);
  for (int i = 40; i < 50; ++i) values[static_cast<std::size_t>(i)] = kUndefined;
  EXPECT_TRUE(std::isnan(percentile_interval(values, 0.9).low));
  EXPECT_TRUE(std::isnan(percentile_interval(values, 0.9).high));
}

}  // namespace scores_test
}  // namespace park::bench
