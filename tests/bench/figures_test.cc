// Comparisons against figures that were computed by hand.
#include "park/bench/figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace park::bench {
namespace figures_test {

std::vector<EpisodeResult> episodes(const std::vector<double>& first,
                                    const std::vector<double>& second) {
  std::vector<EpisodeResult> all;
  for (std::size_t i = 0; i < first.size(); ++i)
    all.push_back({.id = i, .metrics = {first[i], second[i]}});
  return all;
}

/// Two policies with three episodes each, where less time and more gain is better.
BenchResults small() {
  const std::vector<Metric> metrics = {
      {.name = "time", .unit = "s", .lower_is_better = true, .doc = ""},
      {.name = "gain", .unit = "1", .lower_is_better = false, .doc = ""}};
  BenchResults results;
  results.suite.environments = {{.name = "x", .episodes = 3, .metrics = {"time", "gain"}}};
  results.environments = {{.text = "x", .metrics = metrics}};
  results.entries = {{.policy = "a", .episodes = episodes({1, 5, 2}, {1, 5, 2})},
                     {.policy = "b", .episodes = episodes({2, 4, 2}, {2, 4, 2})}};
  return results;
}

TEST(Comparison, IsPairedByEpisodeAndByEachMetric) {
  const std::vector<Comparison> all = comparisons(small());
  ASSERT_EQ(all.size(), 2u);
  for (std::size_t metric = 0; metric < 2; ++metric) {
    EXPECT_EQ(all[metric].policy, 1u);
    EXPECT_EQ(all[metric].against, 0u);
    EXPECT_EQ(all[metric].metric, metric);
    EXPECT_EQ(all[metric].difference.count, 3u);
    EXPECT_DOUBLE_EQ(all[metric].difference.mean, 0);  // 1, -1, 0
    EXPECT_DOUBLE_EQ(all[metric].difference.sd, 1);
    EXPECT_DOUBLE_EQ(all[metric].improvement, 0.5);  // one won, one lost, one equal
  }
}

TEST(Comparison, BetterIsAboveOrBelowAsTheMetricSays) {
  BenchResults results = small();
  results.entries[1].episodes = episodes({2, 6, 2}, {2, 6, 2});  // above in two, equal in one
  EXPECT_DOUBLE_EQ(compare(results, 1, 0, 1).improvement, 2.5 / 3);
  EXPECT_DOUBLE_EQ(compare(results, 1, 0, 0).improvement, 0.5 / 3);
  EXPECT_DOUBLE_EQ(compare(results, 0, 1, 1).improvement, 0.5 / 3);
  const Interval interval = compare(results, 1, 0, 1).improvement_bootstrap;
  EXPECT_DOUBLE_EQ(interval.low, 0.5);
  EXPECT_DOUBLE_EQ(interval.high, 1);
}

// Episodes differ far more than policies: unpaired, the one would seem hardly better.
TEST(Comparison, TheProbabilityOfImprovementIsThatOfTheSameEpisode) {
  BenchResults results = small();
  results.entries[0].episodes = episodes({100, 200, 300}, {1, 1, 1});
  results.entries[1].episodes = episodes({99, 199, 299}, {1, 1, kUndefined});
  const Comparison time = compare(results, 1, 0, 0);
  EXPECT_DOUBLE_EQ(time.improvement, 1);
  EXPECT_DOUBLE_EQ(time.improvement_bootstrap.low, 1);
  EXPECT_TRUE(std::isnan(compare(results, 1, 0, 1).improvement)) << "an episode has no figure";
}

TEST(Comparison, WhoeverIsBetterMoreOftenIsBetter) {
  BenchResults results = small();
  results.entries[1].episodes = episodes({0, 4, 1}, {0, 4, 1});  // below in all three
  const Comparison time = compare(results, 1, 0, 0), gain = compare(results, 1, 0, 1);
  EXPECT_DOUBLE_EQ(time.improvement, 1);
  EXPECT_DOUBLE_EQ(gain.improvement, 0);
  for (const Comparison& one : {time, gain}) {
    EXPECT_DOUBLE_EQ(one.difference.mean, -1);
    EXPECT_DOUBLE_EQ(one.difference_bootstrap.low, -1);
    EXPECT_DOUBLE_EQ(one.difference_bootstrap.high, -1);
  }
}

TEST(Comparison, OnlyEpisodesOfBothCount) {
  BenchResults results = small();
  results.entries[0].episodes.erase(results.entries[0].episodes.begin());
  const Comparison one = compare(results, 1, 0, 0);
  EXPECT_EQ(one.difference.count, 2u);
  EXPECT_DOUBLE_EQ(one.difference.mean, -0.5);  // -1, 0
  EXPECT_DOUBLE_EQ(one.improvement, 0.75);
  results.entries[1].episodes.resize(1);
  EXPECT_TRUE(std::isnan(compare(results, 1, 0, 0).improvement));
}

}  // namespace figures_test
}  // namespace park::bench
