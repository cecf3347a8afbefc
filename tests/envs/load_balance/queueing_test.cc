// load_balance against queueing theory. Every estimate is a mean over independent episodes; the
// exact value must lie in its 99.9 % confidence interval, and the interval must be narrow. Seeds
// are fixed, so a result does not change from run to run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/load_balance/config.h"
#include "tests/envs/load_balance/two_queues.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace queueing_test {

TEST(Queueing, MM1) {
  // Load 0.6: the response time is exponential with rate 1 - 0.6 (jobs of 1 s).
  const Figures f = play_episodes(
      "load_balance(servers=1,rates=[2],sizes=exponential,exponential_mean=2,"
      "interval_s=1.6666666666666667,jobs=32000)",
      "round_robin");
  const double rate = 0.4;
  expect_mean(f.at("avg_response_s"), 1 / rate, 0.03);
  expect_mean(f.at("avg_jobs_in_system"), 0.6 / rate, 0.03);
  expect_mean(f.at("utilisation"), 0.6, 0.01);
  expect_mean(f.at("p50_response_s"), std::log(2) / rate, 0.03);
  expect_mean(f.at("p95_response_s"), std::log(20) / rate, 0.04);
  expect_mean(f.at("p99_response_s"), std::log(100) / rate, 0.05);
}

TEST(Queueing, RandomSplittingMakesIndependentMM1) {
  // Four servers of unlike speed get a quarter of the arrivals each; jobs have size 1 on average.
  const Figures f = play_episodes(
      "load_balance(servers=4,rates=[1,1.5,2,2.5],sizes=exponential,exponential_mean=1,"
      "interval_s=0.4,jobs=16000)",
      "random");
  const double arrivals = 2.5 / 4;
  double jobs = 0;
  for (const double rate : {1.0, 1.5, 2.0, 2.5}) jobs += arrivals / (rate - arrivals);
  expect_mean(f.at("avg_jobs_in_system"), jobs, 0.05);
  expect_mean(f.at("avg_response_s"), jobs / 2.5, 0.05);
  expect_mean(f.at("utilisation"), 2.5 / 7, 0.01);
}

TEST(Queueing, ErlangC) {
  EXPECT_NEAR(erlang_c(1, 0.6), 0.6, 1e-12);
  EXPECT_NEAR(erlang_c(2, 1.0), 1.0 / 3, 1e-12);
}

TEST(Queueing, MMkByLeastWork) {
  // With equal rates the server with the least work is the one that would take the job from a
  // common queue, so response times are those of M/M/k.
  const Figures f = play_episodes(
      "load_balance(servers=4,rates=[1,1,1,1],sizes=exponential,exponential_mean=1,"
      "interval_s=0.33333333333333331,jobs=16000)",
      "least_work");
  const double response = erlang_c(4, 3) / (4 - 3) + 1;
  expect_mean(f.at("avg_response_s"), response, 0.04);
  expect_mean(f.at("avg_jobs_in_system"), 3 * response, 0.04);
  expect_mean(f.at("utilisation"), 0.75, 0.01);
}

TEST(Queueing, MG1Uniform) {
  const Figures f = play_episodes(
      "load_balance(servers=1,rates=[1],sizes=uniform,uniform_low=0.5,uniform_high=2.5,"
      "interval_s=2.5,jobs=16000)",
      "round_robin");
  const double exact = pollaczek_khinchine(0.4, 1.5, 1.5 * 1.5 + 4.0 / 12);
  expect_mean(f.at("avg_response_s"), exact, 0.02);
  expect_mean(f.at("avg_jobs_in_system"), 0.4 * exact, 0.03);
}

TEST(Queueing, MG1Bimodal) {
  const Figures f = play_episodes(
      "load_balance(servers=1,rates=[1],sizes=bimodal,bimodal_small=0.5,bimodal_large=5.5,"
      "bimodal_large_share=0.1,interval_s=2,jobs=16000)",
      "round_robin");
  const double exact = pollaczek_khinchine(0.5, 1, 0.9 * 0.25 + 0.1 * 30.25);
  expect_mean(f.at("avg_response_s"), exact, 0.04);
}

TEST(Queueing, MD1) {
  const Figures f = play_episodes(
      "load_balance(servers=1,rates=[1],sizes=uniform,uniform_low=1,uniform_high=1,"
      "interval_s=1.25,jobs=16000)",
      "round_robin");
  expect_mean(f.at("avg_response_s"), pollaczek_khinchine(0.8, 1, 1), 0.04);
}

TEST(Queueing, LittlesLaw) {
  // Jobs in the system = arrivals per second x response time, whatever the policy is.
  for (const char* policy : {"shortest_queue", "least_work", "shortest_expected_delay"}) {
    const Figures f =
        play_episodes("load_balance(sizes=uniform,jobs=inf,horizon_s=500000)", policy);
    std::vector<double> ratio;
    for (std::size_t e = 0; e < kEpisodes; ++e)
      ratio.push_back(f.at("avg_jobs_in_system")[e] * 55 / f.at("avg_response_s")[e]);
    expect_mean(ratio, 1, 0.01);
  }
}

TEST(Queueing, ArrivalsSeeTimeAverages) {
  std::vector<double> seen(kEpisodes), rows(kEpisodes);
  const auto look = [&](const Decisions& d, const Batch&) {
    if (d.asked.empty()) return;
    const auto jobs = d.observation.field<float>("server.jobs");
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      for (const float n : d.observation.row(i)[jobs])
        seen[d.asked[i].episode.id] += static_cast<double>(n);
      ++rows[d.asked[i].episode.id];
    }
  };
  const Figures f = play_episodes(
      "load_balance(servers=2,rates=[1,1],sizes=exponential,exponential_mean=1,interval_s=0.8,"
      "jobs=16000)",
      "shortest_queue", kEpisodes, look);
  std::vector<double> difference;
  for (std::size_t e = 0; e < kEpisodes; ++e)
    difference.push_back(seen[e] / rows[e] - f.at("avg_jobs_in_system")[e]);
  const Estimate e = estimate(difference);
  EXPECT_NEAR(e.mean, 0, e.half_width);
  EXPECT_LT(e.half_width, 0.02);
}

constexpr double kArrivalRate = 1.25;  // to two servers with rate 1
const char* const kTwoExponential =
    "load_balance(servers=2,rates=[1,1],sizes=exponential,exponential_mean=1,interval_s=0.8,"
    "jobs=16000)";

TEST(ShortestQueue, IsOptimalForTwoExponentialServers) {
  // Winston (1977), by value iteration: an arrival is worth less in the shorter queue, always.
  TwoQueues chain(kArrivalRate, 1, 40);
  chain.solve(1e-9);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 20; ++j) {
      const double p = chain.preference(i, j);
      const int sign = p < -1e-6 ? -1 : p > 1e-6 ? 1 : 0;
      EXPECT_EQ(sign, i < j ? -1 : i > j ? 1 : 0) << i << " " << j;
    }

  // The policy takes that decision in every state that it meets.
  std::size_t compared = 0;
  const auto look = [&](const Decisions& d, const Batch& actions) {
    if (d.asked.empty()) return;
    const auto jobs = d.observation.field<float>("server.jobs");
    const auto server = actions.field<std::int32_t>("server");
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      const auto n = d.observation.row(i)[jobs];
      const double p =
          chain.preference(static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]));
      if (std::abs(p) < 1e-6) continue;
      ASSERT_EQ(actions.row(i).scalar(server), p < 0 ? 0 : 1);
      ++compared;
    }
  };
  const Figures f = play_episodes(kTwoExponential, "shortest_queue", kEpisodes, look);
  EXPECT_GT(compared, 100'000u);
  expect_mean(f.at("avg_jobs_in_system"), chain.mean_jobs_shortest(1e-12), 0.03);
}

/// Mean over the episodes of log(response of a / response of b).
Estimate log_ratio(const Figures& a, const Figures& b) {
  std::vector<double> ratio;
  for (std::size_t e = 0; e < a.at("avg_response_s").size(); ++e)
    ratio.push_back(std::log(a.at("avg_response_s")[e] / b.at("avg_response_s")[e]));
  return estimate(ratio);
}

/// On the same jobs, at the 99.9 % level.
void expect_better(const std::string& env, const std::string& better, const std::string& worse) {
  const auto figures = [&](const std::string& policy) {
    return play_episodes(env, policy, 200, [](const Decisions&, const Batch&) {});
  };
  const Estimate e = log_ratio(figures(better), figures(worse));
  EXPECT_LT(e.mean + e.half_width, 0) << env << ": " << better << " against " << worse;
}

TEST(ShortestQueue, BeatsOthersThatIgnoreSizes) {
  for (const char* worse : {"random", "round_robin"})
    expect_better(load_balance::kTwoServers, "shortest_queue", worse);
}

TEST(LeastWork, BeatsWhatKnowsLessOnTwoEqualServers) {
  // Daley (1987): among policies that ignore the size of the job that asks. A queue tells less.
  for (const char* worse : {"random", "round_robin", "shortest_queue"})
    expect_better(load_balance::kTwoServers, "least_work", worse);
}

TEST(ShortestExpectedDelay, EqualsLeastWorkWhereRatesAreEqual) {
  const Figures a = play_episodes(load_balance::kTwoServers, "shortest_expected_delay");
  const Figures b = play_episodes(load_balance::kTwoServers, "least_work");
  EXPECT_EQ(a, b);
}

TEST(ShortestExpectedDelay, BeatsLeastWorkOnUnequalServers) {
  // At half the load of the default; near saturation the greedy choice is not clearly better.
  expect_better("load_balance(interval_s=110)", "shortest_expected_delay", "least_work");
  expect_better("load_balance", "least_work", "shortest_queue");
  expect_better("load_balance", "shortest_queue", "random");
}

}  // namespace queueing_test
}  // namespace park::test
