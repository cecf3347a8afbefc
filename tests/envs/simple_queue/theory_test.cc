// simple_queue against queueing theory. As in queueing_test.cc, an estimate is a mean over
// independent episodes, and the exact value must lie in its 99.9 % confidence interval, which must
// be narrow.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/events.h"
#include "park/core/text.h"
#include "park/envs/simple_queue/admission_model.h"
#include "park/envs/simple_queue/config.h"
#include "park/envs/simple_queue/simple_queue.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace theory_test {

using simple_queue::AdmissionModel;
using simple_queue::AdmissionSolution;

/// A text of simple_queue with Poisson arrivals.
std::string poisson(const std::string& fields) {
  return "simple_queue(arrivals=poisson,jobs=16000," + fields + ")";
}

TEST(SimpleQueue, WaitsOfMM1) {
  // Load 0.6: a job waits with that probability, and then for a time with rate 1 - 0.6.
  const Figures f = play_episodes(
      poisson("servers=1,service=exponential,service_mean_s=0.6,waiting_room=inf"), "admit_all");
  const double wait = 0.6 * 0.6 / 0.4;
  expect_mean(f.at("avg_wait_s"), wait, 0.05);
  expect_mean(f.at("p95_wait_s"), std::log(0.6 / 0.05) * 0.6 / 0.4, 0.05);
  expect_mean(f.at("avg_response_s"), wait + 0.6, 0.04);
  expect_mean(f.at("avg_jobs_waiting"), wait, 0.06);
  expect_mean(f.at("utilisation"), 0.6, 0.01);
}

TEST(SimpleQueue, WaitsOfMMc) {
  // Four servers, offered load 3: Erlang's C.
  const Figures f = play_episodes(
      poisson("servers=4,service=exponential,service_mean_s=3,waiting_room=inf"), "admit_all");
  const double wait = erlang_c(4, 3) * 3 / (4 - 3);
  expect_mean(f.at("avg_wait_s"), wait, 0.08);
  expect_mean(f.at("avg_jobs_in_system"), wait + 3, 0.05);
  expect_mean(f.at("utilisation"), 0.75, 0.01);
}

TEST(SimpleQueue, WaitsOfMD1) {
  const Figures f = play_episodes(
      poisson("servers=1,service=deterministic,service_mean_s=0.7,waiting_room=inf"), "admit_all");
  expect_mean(f.at("avg_wait_s"), pollaczek_khinchine(1, 0.7, 0.49) - 0.7, 0.05);
}

TEST(SimpleQueue, WaitsOfMG1) {
  // Only the best of five classes is admitted: Poisson arrivals at a fifth of the rate, to a server
  // with geometric times of mean 2.5 and second moment (2 - p) / p^2 = 10: load 0.5.
  const Figures f = play_episodes(poisson("servers=1,free_probability=0.4,waiting_room=inf"),
                                  "reward_threshold(fraction=1)");
  expect_mean(f.at("avg_wait_s"), pollaczek_khinchine(0.2, 2.5, 10) - 2.5, 0.08);
  expect_mean(f.at("admitted_share"), 0.2, 0.02);
  expect_mean(f.at("reward_per_job"), 1, 0.02);
}

/// The probability that M/G/c without a waiting room is full: Erlang's B.
double erlang_b(int c, double a) {
  double b = 1;
  for (int i = 1; i <= c; ++i) b = a * b / (i + a * b);
  return b;
}

TEST(SimpleQueue, LossOfMGc) {
  // Whatever the distribution of the service time, only its mean counts.
  EXPECT_NEAR(erlang_b(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(erlang_b(2, 2), 0.4, 1e-12);
  for (const char* service : {"service=exponential,service_mean_s=4",
                              "service=deterministic,service_mean_s=4", "free_probability=0.25"}) {
    const Figures f = play_episodes(poisson(std::string("servers=5,") + service), "admit_all");
    expect_mean(f.at("lost_share"), erlang_b(5, 4), 0.03);
    expect_mean(f.at("utilisation"), 4 * (1 - erlang_b(5, 4)) / 5, 0.01);
  }
}

TEST(SimpleQueue, FiniteWaitingRoom) {
  // M/M/1/K with load 1: each of the K + 1 states is as likely as the others.
  const Figures f = play_episodes(
      poisson("servers=1,service=exponential,service_mean_s=1,waiting_room=3"), "admit_all");
  expect_mean(f.at("lost_share"), 0.2, 0.03);
  expect_mean(f.at("avg_jobs_in_system"), 2, 0.02);
  // An admitted job finds 0 .. 3 jobs before it and waits for each of them.
  expect_mean(f.at("avg_wait_s"), 1.5, 0.02);
}

TEST(SimpleQueue, LittlesLaw) {
  // Jobs waiting = jobs served per second x wait, on every path that ends empty.
  for (const char* env :
       {"simple_queue(servers=2,free_probability=0.55,waiting_room=inf)",
        "simple_queue(arrivals=poisson,service=deterministic,service_mean_s=4.9,waiting_room=9)",
        "simple_queue(arrivals=poisson,service=exponential,service_mean_s=6,waiting_room=20,"
        "discipline=priority)"})
    for (const char* policy : {"admit_all", "random"}) {
      const Figures f = play_episodes(env, policy);
      for (std::size_t e = 0; e < kEpisodes; ++e) {
        // The time of an episode follows from the servers' share and the jobs in service.
        const double in_service = f.at("avg_jobs_in_system")[e] - f.at("avg_jobs_waiting")[e];
        const double service_s = f.at("avg_response_s")[e] - f.at("avg_wait_s")[e];
        EXPECT_NEAR(f.at("avg_jobs_waiting")[e] * service_s, f.at("avg_wait_s")[e] * in_service,
                    1e-9 * (1 + in_service * f.at("avg_wait_s")[e]));
      }
    }
}

/// Collects the waits of every class from the spans of a timeline; classes are told by reward.
class WaitsByReward final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {}
  void value(std::string_view, std::string_view, double, double) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg> args) override {
    double reward = 0, wait_s = 0;
    for (const EventArg& arg : args) {
      if (arg.name == "reward") reward = arg.value;
      if (arg.name == "wait_s") wait_s = arg.value;
    }
    sum_[reward] += wait_s;
    ++count_[reward];
  }
  [[nodiscard]] double mean(double reward) const { return sum_.at(reward) / count_.at(reward); }

 private:
  std::map<double, double> sum_, count_;
};

TEST(SimpleQueue, WaitsWithPriorities) {
  // Cobham (1954): M/M/1 with three equally likely classes that do not interrupt each other. With
  // the residual service R = load x mean, class k waits R / ((1 - s_above)(1 - s_above_and_own)).
  const auto config = parse_config<simple_queue::SimpleQueueConfig>(
      parse_text(poisson("servers=1,priorities=[1,2,3],service=exponential,service_mean_s=0.75,"
                         "waiting_room=inf,discipline=priority")));
  const Spec spec = simple_queue::SimpleQueue::spec(config);
  simple_queue::SimpleQueue env(config);
  Batch observation(spec.observation), action(spec.action);
  action.resize(1);
  action.row(0).scalar(action.field<std::int32_t>("admit")) = 1;
  const Rng episodes(5);
  std::map<double, std::vector<double>> waits;
  for (std::uint64_t k = 0; k < kEpisodes; ++k) {
    WaitsByReward log;
    env.events(&log);
    observation.clear();
    env.reset({k, episodes.split(k).bits(), episodes.split(k + 1000).bits(), kInf},
              observation.append());
    do observation.clear();
    while (env.step(std::as_const(action).row(0), observation.append()).end == End::none);
    for (const double reward : {1.0, 2.0, 3.0}) waits[reward].push_back(log.mean(reward));
  }
  const double residual = 0.75 * 0.75;
  expect_mean(waits[3], residual / (1 - 0.25), 0.04);
  expect_mean(waits[2], residual / ((1 - 0.25) * (1 - 0.5)), 0.06);
  expect_mean(waits[1], residual / ((1 - 0.5) * (1 - 0.75)), 0.12);
}

TEST(OptimalAdmission, ReachesTheGainOfItsModel) {
  struct Case {
    std::string env;
    AdmissionModel model;
  };
  const std::vector<Case> cases{
      {"simple_queue(servers=10,priorities=[1,2,4,8],free_probability=0.06,jobs=16000)",
       {.servers = 10, .rewards = {1, 2, 4, 8}, .service = 1 / 0.06}},
      {poisson("servers=4,service=exponential,service_mean_s=6"),
       {.servers = 4, .rewards = {1, 2, 3, 4, 5}, .service = 6, .slotted = false}},
      {poisson(
           "servers=2,service=exponential,service_mean_s=1.8,waiting_room=inf,waiting_cost=0.6"),
       {.servers = 2,
        .room = 1e9,
        .rewards = {1, 2, 3, 4, 5},
        .service = 1.8,
        .waiting_cost = 0.6,
        .slotted = false}},
  };
  for (const Case& c : cases) {
    const Figures f = play_episodes(c.env, "optimal_admission");
    expect_mean(f.at("reward_per_job"), AdmissionSolution(c.model).gain(), 0.02);
    EXPECT_EQ(estimate(f.at("lost_share")).mean, 0);
  }
}

TEST(OptimalAdmission, IsTheBestOfAllThresholds) {
  // One server with room for none, two classes, Poisson arrivals with load a: admitting all pays
  // (r1 + r2) / 2 / (1 + a), only the better r2 / 2 / (1 + a / 2) per job. They are equal at
  // a = 2 r1 / (r2 - r1) (Miller 1969), here 1.
  const auto admits_poor = [](double load) {
    return AdmissionSolution({.servers = 1, .rewards = {1, 3}, .service = load, .slotted = false})
        .admits(0, 1);
  };
  EXPECT_TRUE(admits_poor(0.99));
  EXPECT_FALSE(admits_poor(1.01));
  const AdmissionSolution best({.servers = 1, .rewards = {1, 3}, .service = 0.5, .slotted = false});
  EXPECT_NEAR(best.gain(), 2 / 1.5, 1e-8);
}

TEST(OptimalAdmission, AdmitsBetterClassesLonger) {
  const AdmissionSolution access({.servers = 10, .rewards = {1, 2, 4, 8}, .service = 1 / 0.06});
  std::vector<int> limits;
  for (const double reward : {1.0, 2.0, 4.0, 8.0}) {
    int limit = 0;
    while (access.admits(limit, reward)) ++limit;
    limits.push_back(limit);
    for (int n = limit; n <= 10; ++n) EXPECT_FALSE(access.admits(n, reward)) << reward << " " << n;
  }
  EXPECT_TRUE(std::is_sorted(limits.begin(), limits.end()));
  EXPECT_LT(limits.front(), 10);
  EXPECT_EQ(limits.back(), 10);  // who pays most takes any server
}

/// On the same jobs, at the 99.9 % level.
void expect_better(const std::string& env, const std::string& better, const std::string& worse) {
  const Figures a = play_episodes(env, better), b = play_episodes(env, worse);
  std::vector<double> difference;
  for (std::size_t e = 0; e < kEpisodes; ++e)
    difference.push_back(a.at("reward_per_job")[e] - b.at("reward_per_job")[e]);
  const Estimate e = estimate(difference);
  EXPECT_GT(e.mean - e.half_width, 0) << env << ": " << better << " against " << worse;
}

TEST(OptimalAdmission, TheBetterPolicyHasTheBetterReturn) {
  const std::vector<std::string> ranking{"optimal_admission", "trunk_reservation", "admit_all"};
  for (std::size_t i = 1; i < ranking.size(); ++i)
    expect_better(simple_queue::kAccessControl, ranking[i - 1], ranking[i]);
  for (const char* worse : {"reward_threshold", "random"})
    expect_better(simple_queue::kAccessControl, "optimal_admission", worse);
  expect_better("simple_queue", "optimal_admission", "random");
  expect_better("simple_queue", "admit_all", "reward_threshold");
}

}  // namespace theory_test
}  // namespace park::test
