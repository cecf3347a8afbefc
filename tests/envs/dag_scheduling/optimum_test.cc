// The exact solver and the orders of jobs on small clusters: against a search without a table, and
// against what scheduling theory says. And copies whose future is drawn anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/futures.h"
#include "park/search/exact.h"
#include "park/search/orders.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace optimum_test {

using dag_scheduling::DagScheduling;
using dag_scheduling::JobProfile;

/// Small jobs, drawn: a stage of 1 or 2 tasks, or two stages of one.
std::vector<JobProfile> small_jobs(int count) {
  std::vector<JobProfile> jobs;
  Rng rng(11);
  for (int i = 0; i < count; ++i) {
    JobProfile job;
    job.name = "job" + std::to_string(i);
    const std::uint64_t stages = 1 + rng.below(2);
    for (std::uint64_t s = 0; s < stages; ++s)
      job.stages.push_back(
          constant_stage(1 + static_cast<std::int32_t>(rng.below(2)),
                         200 + 100 * static_cast<std::uint32_t>(rng.below(20)),
                         s == 0 ? std::vector<std::uint16_t>{} : std::vector<std::uint16_t>{0}));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

constexpr std::uint64_t kMostLeaves = 600;  // of a case: searches without a table grow fast

/// The best sum of rewards without a table; NaN with more leaves than that.
double brute_force(const Spec& spec, const ActionSpace& space, const Heads& heads, const Env& env,
                   ConstRow observation, std::uint64_t& leaves) {
  double best = -kInf;
  search::for_each_action(spec, space, heads, observation, [&](ConstRow action) {
    const auto copy = env.clone();
    Batch row(spec.observation);
    const Outcome o = copy->step(action, row.append());
    double rest = 0;
    if (o.end == End::none)
      rest = brute_force(spec, space, heads, *copy, std::as_const(row).row(0), leaves);
    else if (++leaves > kMostLeaves)
      rest = std::numeric_limits<double>::quiet_NaN();
    best = std::isnan(rest) ? rest : std::max(best, o.reward + rest);
    return !std::isnan(rest);
  });
  return best;
}

/// So many cases of a configuration; returns leaves over states.
double compare_cases(const std::string& fields, const std::string& workload, int cases) {
  const auto config = parse_config<dag_scheduling::DagSchedulingConfig>(parse_text(
      "dag_scheduling(" + fields + ",moving_delay_s=0.3,workload=\"" + workload + "\")"));
  const Spec spec = DagScheduling::spec(config);
  DagScheduling env(config);
  search::ExactSearch exact(spec, 100'000);
  const ActionSpace space(spec);
  const Heads heads(spec);
  std::uint64_t all_leaves = 0, states = 0;
  int compared = 0;
  for (std::uint64_t k = 0; k < 500 && compared < cases; ++k) {
    Batch row(spec.observation);
    env.reset({.id = k, .inputs = k, .dynamics = k}, row.append());
    std::uint64_t leaves = 0;
    const double expected = brute_force(spec, space, heads, env, std::as_const(row).row(0), leaves);
    if (std::isnan(expected)) continue;
    const auto best = exact.best(env, std::as_const(row).row(0));
    EXPECT_TRUE(best.has_value());
    EXPECT_NEAR(best.value_or(0), expected, 1e-9) << fields << ", case " << k;
    all_leaves += leaves;
    states += exact.states();
    ++compared;
  }
  EXPECT_EQ(compared, cases);
  return static_cast<double>(all_leaves) / static_cast<double>(states);
}

TEST(Optimum, EqualsBruteForceInFiftyCases) {
  const WorkloadFile workload(small_jobs(12));
  const double first = compare_cases("jobs=2,executors=2", workload.path(), 25);
  const double second = compare_cases("jobs=2,executors=2,objective=makespan", workload.path(), 25);
  EXPECT_GT(std::min(first, second), 1);  // the table merges what is alike
}

/// Executors that find nothing to do help the stage of their job that became runnable first. Two
/// sequences of decisions lead to states that differ in nothing but which one that is.
TEST(Optimum, TellsStatesApartByTheOrderInWhichStagesBecameRunnable) {
  const auto needs = [](JobProfile& job, int tasks, std::uint32_t s, float cpus, float memory,
                        std::vector<std::uint16_t> parents) {
    job.stages.push_back(constant_stage(tasks, 1000 * s, std::move(parents)));
    job.stages.back().cpus = cpus;
    job.stages.back().memory = memory;
  };
  JobProfile x{"X", {}}, y{"Y", {}};
  needs(x, 1, 3, 1, 0, {});
  needs(x, 1, 1, 1, 0, {0});
  needs(x, 1, 1, 1, 0, {0});
  needs(x, 1, 10, 0.5, 2, {1});
  needs(x, 1, 1, 0.5, 2, {2});
  needs(x, 1, 10, 1, 0, {4});
  needs(x, 2, 1, 0.5, 1, {});
  needs(x, 1, 1, 1, 0, {1, 2});
  needs(x, 1, 1, 1, 0, {7});
  needs(y, 1, 2, 0.5, 2, {});
  const WorkloadFile workload({x, y});
  const TemporaryFile arrivals("time_s,job\n0,X\n0,Y\n");
  Game g("executors=2,arrival=file,arrivals=" + arrivals.path() + ",workload=" + workload.path() +
         ",moving_delay_s=10,inflation=none,objective=makespan,"
         "classes=[class(share=0.5,cpus=1,memory=1),class(share=0.5,cpus=0.5,memory=2)]");
  g.reset();
  search::ExactSearch exact(g.spec(), 100'000);
  EXPECT_NEAR(exact.best(g.env(), g.row()).value_or(0), -33, 1e-9);  // sjf_cp reaches it
}

/// One executor, jobs of one task: the shortest comes first (Smith 1956).
TEST(Optimum, OfOneExecutorIsShortestFirst) {
  std::vector<JobProfile> jobs;
  for (const std::uint32_t ms : {400u, 1600u, 100u, 900u})
    jobs.push_back({"job" + std::to_string(ms), {constant_stage(1, ms)}});
  const WorkloadFile workload(jobs);
  const auto config = parse_config<dag_scheduling::DagSchedulingConfig>(parse_text(
      "dag_scheduling(jobs=5,executors=1,moving_delay_s=0,workload=\"" + workload.path() + "\")"));
  const Spec spec = DagScheduling::spec(config);
  DagScheduling env(config);
  search::ExactSearch exact(spec, 100'000);
  search::JobOrders orders(spec);
  EXPECT_EQ(orders.jobs(), 5u);
  for (std::uint64_t k = 0; k < 5; ++k) {
    Batch row(spec.observation);
    const Episode episode{.inputs = k};
    env.reset(episode, row.append());
    std::vector<double> work_s;
    for (const float w : row.row(0)[row.field<float>("job.work_s")]) work_s.push_back(w);
    ASSERT_EQ(work_s.size(), 5u);
    std::ranges::sort(work_s);
    double clock_s = 0, sum_s = 0;
    for (const double w : work_s) sum_s += clock_s += w;
    const auto best = exact.best(env, std::as_const(row).row(0));
    ASSERT_TRUE(best.has_value());
    EXPECT_NEAR(*best, -sum_s, 1e-5);
    EXPECT_NEAR(orders.best(env, episode).reward, -sum_s, 1e-5);
  }
}

TEST(Optimum, RefusesCasesThatAreTooLarge) {
  const auto config = parse_config<dag_scheduling::DagSchedulingConfig>(
      parse_text("dag_scheduling(jobs=9,executors=3)"));
  const Spec spec = DagScheduling::spec(config);
  DagScheduling env(config);
  Batch row(spec.observation);
  env.reset({.inputs = 1}, row.append());
  EXPECT_FALSE(search::ExactSearch(spec, 50).best(env, std::as_const(row).row(0)).has_value());
  try {
    search::JobOrders orders(spec);
    FAIL() << "9 jobs have 362 880 orders";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_EQ(std::string(e.what()),
              "'dag_scheduling' has 9 jobs, whose orders cannot all be tried; allowed are 8");
  }
}

/// They are many copies of the environment before the first state is solved.
TEST(Optimum, RefusesLongSequencesOfDecisions) {
  const WorkloadFile workload({{"job", {constant_stage(1, 1)}}});
  const auto solved = [&](int jobs, std::uint64_t most_states) {
    Game g("executors=1,arrival=poisson,interval_s=1e4,workload=" + workload.path() +
           ",jobs=" + std::to_string(jobs));
    g.reset();
    search::ExactSearch exact(g.spec(), most_states);
    const bool whole = exact.best(g.env(), g.row()).has_value();
    EXPECT_LE(exact.states(), most_states);
    return whole;
  };
  EXPECT_TRUE(solved(300, 1'000'000));
  EXPECT_FALSE(solved(1200, 1'000'000));
  EXPECT_FALSE(solved(300, 250));
}

/// The gap to the next arrival is drawn anew from now on, without memory.
TEST(Futures, DrawTheNextArrivalFromNowOn) {
  const WorkloadFile workload({{"long", {constant_stage(1, 1'000'000)}}});
  Game g("jobs=2,executors=1,arrival=poisson,interval_s=10,moving_delay_s=0,workload=\"" +
         workload.path() + "\"");
  g.reset({.inputs = 4});
  double sum_s = 0;
  constexpr int kFutures = 400;
  for (int f = 0; f < kFutures; ++f) {
    const auto copy = clone_with_future(g.env(), static_cast<std::uint64_t>(f));
    Batch row(g.spec().observation), action(g.spec().action);
    action.resize(1);
    g.space().project(g.row(), action.row(0));
    // The job runs for 1000 s; the episode ends at 2000 s, and the integral of jobs tells when the
    // second one came.
    double jobs_s = 0;
    for (End end = End::none; end == End::none;) {
      row.clear();
      const Outcome o = copy->step(std::as_const(action).row(0), row.append());
      jobs_s -= o.reward;
      end = o.end;
      if (end == End::none) g.space().project(std::as_const(row).row(0), action.row(0));
    }
    sum_s += 3000 - jobs_s;
  }
  EXPECT_NEAR(sum_s / kFutures, 10, 2);  // four standard errors
}

}  // namespace optimum_test
}  // namespace park::test
