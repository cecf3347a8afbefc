// A network that starts from random weights comes close to the best tuned heuristic, far below fair
// scheduling, on inputs that it has not seen.
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/optimiser.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/envs/envs.h"

namespace park::agents {
namespace {

constexpr std::uint32_t kHeldOut = 50;

// Six seeds reached 0.715 to 0.733 of fair, with a standard deviation of 0.007 and intervals up to
// 0.762, and 1.004 to 1.030 of the tuned heuristic, which is at 0.712 of fair. A bar leaves room for
// four standard deviations.
constexpr double kMostOfFair = 0.75, kMostOfFairHigh = 0.78, kMostOfTuned = 1.05;
// What park tune dag_scheduling(executors=10,jobs=8) --policy srpt_capped chooses.
constexpr const char* kTuned = "srpt_capped(c=18,s=0.5,scale_s=250)";

/// A mean as a part of another one, with its 95 % interval.
struct Ratio {
  double mean, low, high;
};

/// By the differences of pairs.
Ratio paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kStudent = 2.0096;  // 97.5 % of 49 degrees of freedom
  const auto n = static_cast<double>(a.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] - b[i];
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  const double mean = sum / n, half = kStudent * std::sqrt((squares / n - mean * mean) / (n - 1));
  const double whole = std::accumulate(b.begin(), b.end(), 0.0) / n;
  return {1 + mean / whole, 1 + (mean - half) / whole, 1 + (mean + half) / whole};
}

class SmallClusterLong : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  SmallClusterLong() {
    envs::register_all(registry_);
    at::set_num_threads(1);
  }

  /// A network that has been trained, copied as a checkpoint would be.
  std::shared_ptr<Network> trained() {
    constexpr std::int64_t kIterations = 50;
    const runs::TrainingTexts texts =
        canonical(registry_, {.env = kEnv, .algorithm = kAlgorithm, .baseline = "sequence_mean"});
    const auto algorithm = make_algorithm(registry_, texts, GetParam());
    for (std::int64_t i = 0; i < kIterations; ++i)
      static_cast<void>(algorithm->iterate(i, static_cast<double>(i) / kIterations));
    auto net = make_network(texts.network, registry_.spec(kEnv), Role::policy, Rng(99));
    const c10::NoGradGuard off;
    const State from = algorithm->policy(), to = state_of(*net);
    EXPECT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(from[i].second);
    return net;
  }

  /// The average completion times of the held-out episodes.
  std::vector<double> play_held_out(Policy& policy) {
    const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = kHeldOut});
    std::vector<double> all(kHeldOut);
    const std::size_t metric = registry_.spec(kEnv).metric("avg_jct_s");
    play(*registry_.stream(kEnv, source, {.slots = kHeldOut}), policy, Rng(1),
         [&](const Decisions& d, const Batch&) {
           for (std::size_t i = 0; i < d.ended.size(); ++i)
             all[d.ended[i].episode.id] = d.metrics_of(i)[metric];
         });
    return all;
  }

  static constexpr const char* kEnv = "dag_scheduling(executors=10,jobs=8)";
  static constexpr const char* kAlgorithm =
      "ppo(sequences=4,rollouts=8,lambda=1,epochs=2,minibatch=512,entropy=0.01)";
  Registry registry_;
};

TEST_P(SmallClusterLong, IsScheduledAboutAsWellAsByTheBestHeuristic) {
  const Spec spec = registry_.spec(kEnv);
  const std::clock_t start = std::clock();
  NetworkPolicy greedy(spec, trained(), false);
  const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto fair = registry_.policy("fair", spec), tuned = registry_.policy(kTuned, spec);
  const std::vector<double> learned = play_held_out(greedy);
  const Ratio r = paired_ratio(learned, play_held_out(*fair)),
              of_tuned = paired_ratio(learned, play_held_out(*tuned));
  std::printf(
      "seed %d: %.3f of fair, 95 %% interval %.3f to %.3f, %.3f of %s, %.1f s of CPU time\n",
      static_cast<int>(GetParam()), r.mean, r.low, r.high, of_tuned.mean, kTuned, cpu_s);
  RecordProperty("of_fair", std::to_string(r.mean));
  EXPECT_LT(r.mean, kMostOfFair);
  EXPECT_LT(r.high, kMostOfFairHigh);
  EXPECT_LT(of_tuned.mean, kMostOfTuned);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SmallClusterLong, ::testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace park::agents
