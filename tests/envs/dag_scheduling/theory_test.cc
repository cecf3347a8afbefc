// Special cases with a known answer, and laws that hold for any decisions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace theory_test {

using dag_scheduling::Wave;

struct Estimate {
  double mean = 0, standard_error = 0;
};
Estimate estimate(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / (n - 1))};
}

/// One executor and jobs of one task are a single server: in order of arrival, Pollaczek and
/// Khinchine give the mean wait W = lambda E[S^2] / (2 (1 - rho)).
TEST(DagSchedulingTheory, SingleServerMatchesPollaczekKhinchine) {
  // Service 1, 2 or 9 s, each with probability 1/3: mean 4 s, second moment 86/3 s^2.
  const WorkloadFile workload({{"a", {constant_stage(1, 1000)}},
                               {"b", {constant_stage(1, 2000)}},
                               {"c", {constant_stage(1, 9000)}}});
  Game g(
      "executors=1,jobs=4000,moving_delay_s=0,warmup_delay_s=0,arrival=poisson,interval_s=8,"
      "workload=" +
      workload.path());
  const double lambda = 1.0 / 8, rho = 4 * lambda;
  const double expected = 4 + lambda * (86.0 / 3) / (2 * (1 - rho));
  std::vector<double> jct;
  for (std::uint64_t k = 0; k < 12; ++k) {
    g.reset({.inputs = 3 * k, .dynamics = k});
    while (!g.over()) g.choose(0, 1);
    jct.push_back(g.metric("avg_jct_s"));
  }
  const Estimate e = estimate(jct);
  EXPECT_LT(e.standard_error, 0.03 * expected);
  EXPECT_NEAR(e.mean, expected, 3.3 * e.standard_error);
}

/// Shortest job first with the same inputs: less waiting, the same work.
TEST(DagSchedulingTheory, OtherDecisionsMeetTheSameInputs) {
  const WorkloadFile workload({{"a", {constant_stage(1, 1000)}}, {"b", {constant_stage(1, 9000)}}});
  Game g(
      "executors=1,jobs=300,moving_delay_s=0,warmup_delay_s=0,arrival=poisson,interval_s=5.5,"
      "workload=" +
      workload.path());
  const auto play = [&](bool shortest, std::vector<double>& arrivals) {
    EventLog log;
    g.env().events(&log);
    g.reset({.inputs = 4, .dynamics = 5});
    while (!g.over()) {
      const std::vector<int> legal = g.legal();
      int best = legal[0];
      for (const int s : legal)
        if (shortest && g.f32("stage.work_s", static_cast<std::size_t>(s)) <
                            g.f32("stage.work_s", static_cast<std::size_t>(best)))
          best = s;
      g.choose(best, 1);
    }
    for (const auto& p : log.points_called("arrival")) {
      arrivals.push_back(p.start_s);
      arrivals.push_back(p.arg("workload_job"));
    }
    g.env().events(nullptr);
    return g.metric("avg_jct_s");
  };
  std::vector<double> first_inputs, second_inputs;
  const double fifo = play(false, first_inputs);
  EXPECT_LT(play(true, second_inputs), 0.8 * fifo);
  EXPECT_EQ(first_inputs.size(), 600u);
  EXPECT_EQ(first_inputs, second_inputs);
}

/// Over a whole episode the time average of the jobs in the system is the rate of arrivals times
/// the mean completion time, exactly.
TEST(DagSchedulingTheory, LittlesLaw) {
  const WorkloadFile workload({{"a", {constant_stage(4, 700), constant_stage(3, 1300, {0})}},
                               {"b", {constant_stage(9, 400)}}});
  Game g("executors=3,jobs=200,moving_delay_s=0.5,arrival=poisson,interval_s=3,workload=" +
         workload.path());
  EventLog log;
  g.env().events(&log);
  g.reset({.inputs = 1, .dynamics = 2});
  Rng choices(9);
  while (!g.over()) g.choose_random(choices);
  double integral = 0, jobs = 0, since = 0;
  for (const auto& v : log.values) {
    if (v.lane != "jobs in system") continue;
    integral += jobs * (v.start_s - since);
    since = v.start_s;
    jobs = v.end_s;  // of a series: the value
  }
  const double time = g.metric("makespan_s");
  EXPECT_EQ(jobs, 0);
  EXPECT_DOUBLE_EQ(since, time);
  EXPECT_NEAR(integral / time, 200 / time * g.metric("avg_jct_s"), 1e-9);
  EXPECT_NEAR(integral, -g.reward(), 1e-6);
}

/// Poisson arrivals: mean and variance of the gaps.
TEST(DagSchedulingTheory, GapsAreExponential) {
  const WorkloadFile workload({{"a", {constant_stage(1, 1)}}});
  Game g("executors=1,jobs=5000,moving_delay_s=0,arrival=poisson,interval_s=25,workload=" +
         workload.path());
  EventLog log;
  g.env().events(&log);
  g.reset({.inputs = 8});
  while (!g.over()) g.choose(0, 1);
  std::vector<double> gaps, squares;
  const auto arrivals = log.points_called("arrival");
  EXPECT_EQ(arrivals[0].start_s, 0);
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    gaps.push_back(arrivals[i].start_s - arrivals[i - 1].start_s);
    squares.push_back(gaps.back() * gaps.back());
  }
  EXPECT_NEAR(estimate(gaps).mean, 25, 4 * estimate(gaps).standard_error);
  EXPECT_NEAR(estimate(squares).mean, 2 * 25 * 25, 4 * estimate(squares).standard_error);
}

class HorizonTest : public ::testing::Test {
 protected:
  Game game() const {
    return Game("executors=2,jobs=2000,moving_delay_s=1,arrival=poisson,interval_s=2,workload=" +
                workload_.path());
  }
  const WorkloadFile workload_{{{"a", {constant_stage(2, 900), constant_stage(1, 2000, {0})}}}};
};

TEST_F(HorizonTest, TruncatesExactly) {
  Game g = game();
  for (const double horizon_s : {0.5, 1.0, 3.3333333, 60.0}) {
    EventLog log;
    g.env().events(&log);
    g.reset({.inputs = 1, .dynamics = 2, .horizon_s = horizon_s});
    while (!g.over()) g.choose_first();
    EXPECT_EQ(g.last().end, End::truncated);
    EXPECT_EQ(g.now(), horizon_s);
    EXPECT_DOUBLE_EQ(g.elapsed_s(), horizon_s);
    double integral = 0, jobs = 0, since = 0;
    for (const auto& v : log.values) {
      if (v.lane != "jobs in system") continue;
      integral += jobs * (v.start_s - since);
      since = v.start_s;
      jobs = v.end_s;
    }
    integral += jobs * (horizon_s - since);
    EXPECT_NEAR(g.reward(), -integral, 1e-9);
    EXPECT_GT(g.count("jobs"), 0u);  // the final observation shows who is left
    for (const auto& span : log.spans) EXPECT_LE(span.end_s, horizon_s);
    g.env().events(nullptr);
  }
}

/// Episodes end at the horizon that the source of episodes draws: exponential, mean H.
TEST_F(HorizonTest, IsMemoryless) {
  constexpr double kMean = 40;
  constexpr std::uint64_t kCount = 500;
  Game g = game();
  const RandomEpisodes source(Rng(3), {.count = kCount, .mean_horizon_s = kMean});
  std::vector<double> ends;
  for (std::uint64_t k = 0; k < kCount; ++k) {
    g.reset(*source.at(k));
    while (!g.over()) g.choose_first();
    ASSERT_EQ(g.last().end, End::truncated);
    ends.push_back(g.metric("makespan_s"));
  }
  const Estimate e = estimate(ends);
  EXPECT_NEAR(e.mean, kMean, 3 * e.standard_error);
  EXPECT_NEAR(e.standard_error * std::sqrt(static_cast<double>(kCount)), kMean, 0.18 * kMean);
}

/// Busy time counts what has run, not what was planned.
TEST_F(HorizonTest, UtilisationIsCutToo) {
  const WorkloadFile workload({{"a", {constant_stage(1, 10'000)}}});
  Game g("executors=2,jobs=1,moving_delay_s=1,warmup_delay_s=0,workload=" + workload.path());
  g.reset({.horizon_s = 5});
  g.choose(0, 1);
  EXPECT_EQ(g.last().end, End::truncated);
  EXPECT_DOUBLE_EQ(g.metric("utilisation"), 4.0 / 10);
  EXPECT_TRUE(std::isnan(g.metric("avg_jct_s")));
  EXPECT_EQ(g.metric("jobs_done"), 0);
}

/// Durations are drawn by job, stage and task: whoever runs a task, and when, it takes as long.
TEST(DagSchedulingTheory, DurationsBelongToTasks) {
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < 200; ++i) samples.push_back(1000 + i);
  const Cells cells{{Wave::fresh, 1, samples}, {Wave::first, 1, samples}, {Wave::rest, 1, samples}};
  const WorkloadFile workload({{"a", {stage(5, {}, cells), stage(4, {}, cells)}}});
  const auto durations = [&](int executors, std::uint64_t choices) {
    Game g("executors=" + std::to_string(executors) + ",jobs=6,workload=" + workload.path());
    EventLog log;
    g.env().events(&log);
    g.reset({.inputs = 1, .dynamics = 7});
    Rng rng(choices);
    while (!g.over()) g.choose_random(rng);
    std::vector<std::vector<double>> all(6 * 9);
    for (const auto& e : log.spans)
      if (e.what != "moving")
        all.at(static_cast<std::size_t>(e.arg("job") * 9 + e.arg("stage") * 5 + e.arg("task"))) = {
            std::round((e.end_s - e.start_s) * 1000)};
    return all;
  };
  const auto expected = durations(3, 1);
  EXPECT_EQ(expected, durations(3, 2));
  EXPECT_EQ(expected, durations(11, 3));
}

}  // namespace theory_test
}  // namespace park::test
