// What failed counts as the worst that was seen.
#include "park/bench/failed_episodes.h"

#include <gtest/gtest.h>

#include "park/bench/results_json.h"
#include "park/bench/scores.h"
#include "park/bench/summary.h"
#include "small_suite.h"

namespace park::bench {
namespace failed_episodes_test {

/// The results without some episodes of a policy, which are said to have failed.
BenchResults without(std::size_t entry, std::uint64_t first, std::uint64_t count) {
  BenchResults results = played();
  std::erase_if(results.entries[entry].episodes,
                [&](const EpisodeResult& e) { return e.id >= first && e.id - first < count; });
  results.failures.push_back({entry, first, count, "it broke"});
  return results;
}

TEST(FailedEpisodes, AreThoseOfTheSuiteWithoutARow) {
  EXPECT_TRUE(failed_episodes(played(), 1).empty());
  EXPECT_EQ(failed_episodes(without(1, 3, 2), 1), (std::vector<std::uint64_t>{3, 4}));
  BenchResults odd = without(1, 9, ~std::uint64_t{0});
  odd.failures.push_back({1, 0, 4, "though they have rows"});
  odd.failures.push_back({1, 1000, 4, "beyond the suite"});
  odd.failures.push_back({1, 10, 1, "twice"});
  EXPECT_EQ(failed_episodes(odd, 1), (std::vector<std::uint64_t>{9, 10}));
  EXPECT_TRUE(failed_episodes(odd, 0).empty());
}

TEST(FailedEpisodes, CountAsTheWorstThatAnyPolicyHas) {
  const BenchResults counted = with_failures(without(1, 3, 2));
  const Entry& entry = counted.entries[1];
  ASSERT_EQ(entry.episodes.size(), 11u);
  for (std::size_t m = 0; m < counted.environments[0].metrics.size(); ++m) {
    const bool lower = counted.environments[0].metrics[m].lower_is_better;
    for (const Entry& other : without(1, 3, 2).entries) {
      if (other.env != 0) continue;
      for (const double v : metric_values(other.episodes, m)) {
        if (lower)
          EXPECT_GE(metric_value(entry.episodes[3], m), v);
        else
          EXPECT_LE(metric_value(entry.episodes[3], m), v);
      }
    }
  }
  EXPECT_EQ(entry.episodes[4].id, 4u);
  EXPECT_EQ(results_json(with_failures(played())), results_json(played()));
}

/// Which episodes a policy drops does not matter: none of them makes it better.
TEST(FailedEpisodes, NeverRaiseAScore) {
  const auto mean = [](const BenchResults& results) {
    return summarize(metric_values(with_failures(results).entries[1].episodes, 0)).mean;
  };
  const auto score = [](const BenchResults& results) {
    const BenchResults counted = with_failures(results);
    return scale_of(played(), 0)
        ->score(summarize(metric_values(counted.entries[2].episodes, 0)).mean);
  };
  for (std::uint64_t id = 0; id < 11; ++id) {
    EXPECT_GE(mean(without(1, id, 1)), mean(played())) << id;
    EXPECT_LE(score(without(2, id, 1)), score(played())) << id;
  }
  EXPECT_GT(mean(without(1, 0, 11)), mean(played())) << "all failed";
}

}  // namespace failed_episodes_test
}  // namespace park::bench
