#include "park/bench/bundled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace park::bench {
namespace bundled_test {

using Lines = std::vector<std::string>;

/// The first baselines of an environment, all but the last `without`.
std::string baselines(const SuiteEnv& env, std::size_t without) {
  std::string text;
  for (std::size_t b = 0; b + without < env.baselines.size(); ++b)
    text += (b > 0 ? ", " : "") + env.baselines[b];
  return text;
}

Lines changed(const std::function<void(Suite&)>& change) {
  Suite suite = read_suite("load-balance-v2");
  change(suite);
  return changes_of_bundled(suite);
}

TEST(Bundled, ASuiteThatKeepsTheNameButNotWhatItPlaysIsNamed) {
  const std::string front = "suite: load_balance: ", behind = ", but load-balance-v2 has ";
  EXPECT_EQ(changed([](Suite&) {}), Lines{});
  EXPECT_EQ(changed([](Suite& suite) { suite.seed = 7; }),
            Lines{"suite: seed: recorded 7" + behind + "1003"});
  EXPECT_EQ(changed([](Suite& suite) { suite.environments.pop_back(); }),
            Lines{"suite: environments: recorded 1" + behind + "2"});
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[0].episodes = 6; }),
            Lines{front + "episodes: recorded 6" + behind + "100"});
  const SuiteEnv env = read_suite("load-balance-v2").environments.at(0);
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[0].baselines.pop_back(); }),
            Lines{front + "baselines: recorded " + baselines(env, 1) + behind + baselines(env, 0)});
  const Lines untrue = changed([](Suite& suite) { suite.environments[0].tuning.tuned[0].tries++; });
  ASSERT_EQ(untrue.size(), 1u);
  EXPECT_TRUE(untrue[0].starts_with(front + "tuning: recorded ")) << untrue[0];
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[0].bound = "random"; }),
            Lines{front + "bound: recorded random" + behind + "none"});
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[1].metrics = {"jobs_done"}; }),
            Lines{front + "metrics: recorded jobs_done" + behind +
                  "avg_response_s, p95_response_s, p99_response_s"});
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[0].config[0].second = "6"; }).size(), 1u);
  EXPECT_EQ(changed([](Suite& suite) { suite.environments[0].version = 0; }).size(), 1u);
}

/// Records of before a field came do not tell it.
TEST(Bundled, AFieldThatARecordLacksHasItsDefault) {
  const auto horizon = [](const auto& field) { return field.first == "horizon_s"; };
  EXPECT_EQ(changed([&](Suite& suite) { std::erase_if(suite.environments[0].config, horizon); }),
            Lines{});
  EXPECT_EQ(changed([&](Suite& suite) {
              std::ranges::find_if(suite.environments[0].config, horizon)->second = "7";
            }).size(),
            1u);
}

TEST(Bundled, MorePoliciesAndAnotherNameAreNoChange) {
  EXPECT_EQ(changed([](Suite& suite) {
              suite.environments[0].policies.emplace_back("remote(endpoint=x)");
              suite.environments[0].timeline = {"random"};
            }),
            Lines{});
  EXPECT_EQ(changed([](Suite& suite) {
              suite.name = "mine";
              suite.seed = 7;
            }),
            Lines{});
}

}  // namespace bundled_test
}  // namespace park::bench
