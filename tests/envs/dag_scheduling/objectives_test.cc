// What the rewards of each objective add up to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/objective.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace objectives_test {

using dag_scheduling::Ticks;
using dag_scheduling::WorstJobs;

/// Jobs of 4 tasks of 1 s on one executor: they are done after 4, 8 and 12 s, and their ideal is
/// 4 s.
std::string three_jobs(const WorkloadFile& workload, const std::string& objective) {
  return "executors=1,jobs=3,moving_delay_s=0,objective=" + objective +
         ",workload=" + workload.path();
}

TEST(Objectives, OfThreeJobsByHand) {
  const WorkloadFile workload({{"a", {constant_stage(4, 1000)}}});
  const auto played = [&](const std::string& objective, const char* metric, double value) {
    Game g(three_jobs(workload, objective));
    EXPECT_EQ(g.spec().metrics.front().name, metric);
    g.reset();
    while (!g.over()) g.choose_first();
    EXPECT_DOUBLE_EQ(g.metric(metric), value) << objective;
    return g.reward();
  };
  EXPECT_DOUBLE_EQ(played("jct", "avg_jct_s", 8), -24);
  EXPECT_DOUBLE_EQ(played("makespan", "makespan_s", 12), -12);
  EXPECT_DOUBLE_EQ(played("tail", "tail_jct_s", 12), -12);
  EXPECT_DOUBLE_EQ(played("slowdown", "avg_slowdown", 2), -6);
  // A job that is done at its deadline is not late.
  EXPECT_DOUBLE_EQ(played("deadline,deadline_factor=2", "late_share", 1.0 / 3), -1);
  EXPECT_DOUBLE_EQ(played("deadline,deadline_factor=1.9", "late_share", 2.0 / 3), -2);
}

TEST(Objectives, RewardsAddUpToTheMetric) {
  const WorkloadFile workload({{"a", {constant_stage(4, 700), constant_stage(3, 1300, {0})}},
                               {"b", {constant_stage(9, 400)}},
                               {"c", {constant_stage(1, 5000)}}});
  for (const std::string arrival : {"batch", "poisson,interval_s=2"})
    for (const int jobs : {20, 41}) {
      const auto played = [&](const std::string& objective, const char* metric) {
        Game g("executors=3,moving_delay_s=0.5,arrival=" + arrival +
               ",jobs=" + std::to_string(jobs) + ",deadline_factor=4,objective=" + objective +
               ",workload=" + workload.path());
        g.reset({.inputs = 3, .dynamics = 4});
        Rng choices(5);
        while (!g.over()) g.choose_random(choices);
        if (objective == "tail" && jobs == 20) {
          EXPECT_DOUBLE_EQ(g.metric("tail_jct_s"), g.metric("p99_jct_s"));  // the worst one
        }
        EXPECT_GT(g.metric("late_share"), 0);
        EXPECT_LT(g.metric("late_share"), 1);
        EXPECT_GT(g.metric(metric), 0);
        return -g.reward() / g.metric(metric);
      };
      EXPECT_NEAR(played("jct", "avg_jct_s"), jobs, 1e-9);
      EXPECT_NEAR(played("makespan", "makespan_s"), 1, 1e-9);
      EXPECT_NEAR(played("tail", "tail_jct_s"), jobs == 20 ? 1 : 3, 1e-9);
      EXPECT_NEAR(played("slowdown", "avg_slowdown"), jobs, 1e-6);
      EXPECT_NEAR(played("deadline", "late_share"), jobs, 1e-9);
    }
}

/// A horizon cuts off what rewards count: no job costs more than its time in the system.
TEST(Objectives, OfAnEpisodeThatIsCutOff) {
  const WorkloadFile workload({{"a", {constant_stage(4, 1000)}}});
  const auto played = [&](const std::string& objective) {
    Game g(three_jobs(workload, objective));
    g.reset({.horizon_s = 9.5});
    while (!g.over()) g.choose_first();
    EXPECT_EQ(g.last().end, End::truncated);
    return g.reward();
  };
  EXPECT_DOUBLE_EQ(played("jct"), -(4 + 8 + 9.5));
  EXPECT_DOUBLE_EQ(played("tail"), -9.5);
  EXPECT_DOUBLE_EQ(played("slowdown"), -(4 + 8 + 9.5) / 4);
  EXPECT_DOUBLE_EQ(played("deadline,deadline_factor=2"), -1);
  EXPECT_DOUBLE_EQ(played("deadline,deadline_factor=2.5"), 0);
}

TEST(Objectives, DeadlinesAreToldAndNeeded) {
  const WorkloadFile workload({{"a", {constant_stage(4, 1000)}}});
  Game g(three_jobs(workload, "jct,deadline_factor=2.5"));
  EXPECT_EQ(g.spec().metrics.front().name, "avg_jct_s");
  g.reset();
  EXPECT_DOUBLE_EQ(g.f64("info.deadline_s", 1), 10);
  EXPECT_EQ(Game(three_jobs(workload, "jct")).spec().observation.find("info.deadline_s"), nullptr);
  try {
    const Game missing(three_jobs(workload, "deadline"));
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_STREQ(e.what(),
                 "deadline_factor must be above 0 where objective = deadline: no job has a "
                 "deadline");
  }
}

TEST(Objectives, DelaysAreTold) {
  const WorkloadFile workload({{"a", {constant_stage(4, 1000)}}});
  Game g("executors=1,jobs=1,moving_delay_s=2.5,warmup_delay_s=0.75,workload=" + workload.path());
  for (int episode = 0; episode < 2; ++episode) {
    g.reset();
    EXPECT_EQ(g.f32("info.moving_delay_s"), 2.5F);
    EXPECT_EQ(g.f32("info.warmup_delay_s"), 0.75F);
  }
}

TEST(Objectives, WorstJobsEqualASortOfAllTimes) {
  Rng rng(9);
  for (const std::size_t jobs : {1u, 20u, 21u, 100u, 130u}) {
    WorstJobs worst(jobs);
    std::vector<Ticks> done, ages;
    for (std::size_t j = 0; j < jobs; ++j) {
      done.push_back(static_cast<Ticks>(rng.below(50)));
      worst.add(done.back());
      std::ranges::sort(done, std::greater{});
      Ticks sum = 0;
      const std::size_t n = dag_scheduling::worst_of(j + 1);
      for (std::size_t i = 0; i < n; ++i) sum += done[i];
      EXPECT_DOUBLE_EQ(worst.mean_s(j + 1),
                       dag_scheduling::to_seconds(sum) / static_cast<double>(n));
      ages.push_back(static_cast<Ticks>(rng.below(80)));
      std::ranges::sort(ages, std::greater{});
      std::vector<Ticks> all = done;
      all.insert(all.end(), ages.begin(), ages.end());
      std::ranges::sort(all, std::greater{});
      sum = 0;
      for (std::size_t i = 0; i < std::min(all.size(), dag_scheduling::worst_of(jobs)); ++i)
        sum += all[i];
      EXPECT_EQ(worst.sum_with(ages.size(), [&](std::size_t i) { return ages[i]; }), sum);
    }
  }
  EXPECT_TRUE(std::isnan(WorstJobs(5).mean_s(0)));
}

}  // namespace objectives_test
}  // namespace park::test
