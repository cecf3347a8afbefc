// Policies of device_placement on episodes: what each reaches, and that it follows from the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace placement_policies_test {

/// The mean of a metric over some episodes.
double mean_of(const std::string& metric, const std::string& env, const std::string& policy,
               std::uint64_t episodes = 4) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = episodes});
  const auto stream = registry().stream(env, source, {.slots = 2});
  const auto p = registry().policy(policy, stream->spec());
  const std::size_t at = stream->spec().metric(metric);
  double sum = 0;
  play(*stream, *p, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) sum += d.metrics_of(i)[at];
  });
  return sum / static_cast<double>(episodes);
}

TEST(PlacementPolicies, AreRegistered) {
  const std::vector<std::string> names =
      registry().policies_for(registry().spec("device_placement"));
  for (const char* name : {"single_device", "contiguous", "heft", "heft_contention", "etf", "metis",
                           "best_rule", "annealing"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

TEST(PlacementPolicies, BestRuleIsTheBestOfThem) {
  const std::string env = "device_placement(nodes=24,training=true,devices=3)";
  const double best = mean_of("step_time_ratio", env, "best_rule");
  for (const char* policy : {"single_device", "contiguous", "contiguous(by=memory)", "heft",
                             "heft_contention", "etf", "random"})
    EXPECT_LE(best, mean_of("step_time_ratio", env, policy) + 1e-6) << policy;
  EXPECT_LE(mean_of("step_time_ratio", env, "annealing"), best + 1e-6);
  EXPECT_GE(best, mean_of("bound_ratio", env, "best_rule") - 1e-6);
}

TEST(PlacementPolicies, AnswerInBothModes) {
  const std::string fields = "(nodes=16,graph=layered,devices=3";
  const double built = mean_of("step_time_ratio", "device_placement" + fields + ")", "heft");
  const double moved =
      mean_of("step_time_ratio", "device_placement" + fields + ",mode=improve)", "heft");
  EXPECT_DOUBLE_EQ(built, moved);
}

TEST(PlacementPolicies, KeepToMemory) {
  for (const char* policy : {"single_device", "contiguous(by=memory)", "heft", "etf", "metis",
                             "annealing(per_operation=5)"})
    EXPECT_EQ(mean_of("overrun_bytes", "device_placement(nodes=30,devices=3,memory=0.6)", policy),
              0)
        << policy;
}

TEST(PlacementPolicies, SingleDeviceIsTheUnit) {
  EXPECT_NEAR(mean_of("step_time_ratio", "device_placement(speeds=[1,2])", "single_device"), 1,
              1e-6);
}

TEST(PlacementPolicies, PlaceBundledNetworks) {
  for (const char* graph : {"googlenet", "resnet50", "transformer"}) {
    const std::string env = std::string("device_placement(noise=0,graph=") + graph + ")";
    EXPECT_NEAR(mean_of("step_time_ratio", env, "single_device", 1), 1, 1e-6) << graph;
    EXPECT_LE(mean_of("step_time_ratio", env, "best_rule", 1), 1 + 1e-6) << graph;
  }
}

}  // namespace placement_policies_test
}  // namespace park::test
