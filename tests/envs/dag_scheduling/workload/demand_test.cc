#include "park/envs/dag_scheduling/workload/demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/generate.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace demand_test {

using dag_scheduling::workload::beta_probability;
using dag_scheduling::workload::beta_quantile;
using dag_scheduling::workload::demand_workload;
using dag_scheduling::workload::DemandConfig;

/// Jobs of 20 stages without parents.
dag_scheduling::Workload many_stages(int jobs) {
  dag_scheduling::WorkloadBuilder builder("many", "made up");
  for (int j = 0; j < jobs; ++j) {
    dag_scheduling::JobProfile job = sample_jobs()[1];
    job.name = "job" + std::to_string(j);
    job.stages.resize(20, job.stages[0]);
    builder.add_job(job);
  }
  return builder.build();
}

std::vector<double> demands(const dag_scheduling::Workload& workload) {
  std::vector<double> all;
  for (const auto& job : workload.jobs())
    for (const auto& stage : workload.stages(job)) all.push_back(stage.memory);
  return all;
}

TEST(Demand, QuantilesOfBetaAreThoseOfKnownCases) {
  for (const double p : {0.001, 0.1, 0.5, 0.9, 0.999}) {
    EXPECT_DOUBLE_EQ(beta_quantile(p, 1, 1), p);
    EXPECT_NEAR(beta_quantile(p, 3, 1), std::cbrt(p), 1e-9);          // P = x^3
    EXPECT_NEAR(beta_quantile(p, 1, 2), 1 - std::sqrt(1 - p), 1e-9);  // P = 1 - (1 - x)^2
    const double arcsine = std::sin(p * std::acos(-1.0) / 2);
    EXPECT_NEAR(beta_quantile(p, 0.5, 0.5), arcsine * arcsine, 1e-9);
    EXPECT_NEAR(beta_probability(beta_quantile(p, 2.5, 7), 2.5, 7), p, 1e-9);
  }
  EXPECT_NEAR(beta_probability(0.3, 2, 2), 0.3 * 0.3 * (3 - 0.6), 1e-12);
  EXPECT_EQ(beta_probability(0, 2, 5), 0);
  EXPECT_EQ(beta_probability(1, 2, 5), 1);
}

TEST(Demand, HasTheMeanOfItsDistribution) {
  const dag_scheduling::Workload from = many_stages(100);
  const auto mean = [&](const DemandConfig& config) {
    double sum = 0;
    const std::vector<double> all = demands(demand_workload(from, "w", config));
    for (const double m : all) {
      EXPECT_GT(m, 0);
      EXPECT_LE(m, config.memory_max);
      sum += m;
    }
    return sum / static_cast<double>(all.size());
  };
  // Four standard errors of 2000 draws.
  EXPECT_NEAR(mean({}), 0.5, 4 * 0.289 / std::sqrt(2000.0));
  EXPECT_NEAR(mean({.memory_max = 4}), 2, 16 * 0.289 / std::sqrt(2000.0));
  EXPECT_NEAR(mean({.memory = "beta(2,6)"}), 0.25, 4 * 0.145 / std::sqrt(2000.0));
}

TEST(Demand, DependsOnTheSeedTheJobAndTheStageAlone) {
  const std::vector<double> many = demands(demand_workload(many_stages(3), "w", {}));
  const std::vector<double> few = demands(demand_workload(many_stages(2), "w", {}));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  std::vector<double> sorted = many;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
  EXPECT_NE(demands(demand_workload(many_stages(2), "w", {.seed = 2})), few);
}

TEST(Demand, ChangesNothingElse) {
  const dag_scheduling::Workload from = sample_workload();
  const dag_scheduling::Workload made =
      demand_workload(from, "w.park", {.memory = "beta(2,5)", .seed = 7});
  EXPECT_EQ(made.provenance(),
            "made up\npark workload demand w.park --memory \"beta(2,5)\" --seed 7");
  for (std::size_t j = 0; j < made.jobs().size(); ++j) {
    dag_scheduling::JobProfile job = dag_scheduling::job_profile(made, made.jobs()[j]);
    const dag_scheduling::JobProfile was = sample_jobs()[j];
    for (std::size_t s = 0; s < job.stages.size(); ++s) job.stages[s].memory = was.stages[s].memory;
    EXPECT_EQ(job, was);
  }
}

/// data/workloads/memory, whose PROVENANCE.md has the commands.
TEST(Demand, MakesTheBundledWorkloadsAgain) {
  const auto same = [](const dag_scheduling::Workload& made, const char* name) {
    const auto kept = dag_scheduling::Workload::open(name);
    EXPECT_EQ(made.provenance(), kept->provenance());
    ASSERT_EQ(made.jobs().size(), kept->jobs().size());
    for (std::size_t j = 0; j < made.jobs().size(); ++j)
      EXPECT_EQ(dag_scheduling::job_profile(made, made.jobs()[j]),
                dag_scheduling::job_profile(*kept, kept->jobs()[j]));
  };
  same(demand_workload(*dag_scheduling::Workload::open("bundled"), "bundled", {}),
       "bundled-memory");
  same(dag_scheduling::workload::generate_workload({.jobs = 200,
                                                    .seed = 42,
                                                    .stages_max = 20,
                                                    .tasks_median = 20,
                                                    .tasks_max = 500,
                                                    .duration_median_s = 1,
                                                    .duration_max_s = 60,
                                                    .memory_shape = 1},
                                                   "synthetic-memory"),
       "synthetic-memory");
}

TEST(Demand, RefusesOtherDistributions) {
  for (const char* memory : {"normal", "beta", "beta(2)", "beta(2,)", "beta(0,1)", "beta(2,5", "",
                             "beta(2,1001)", "beta(2,nan)"}) {
    Violations bad;
    DemandConfig::check({.memory = memory}, bad);
    EXPECT_EQ(bad.size(), 1u) << memory;
  }
  Violations none;
  DemandConfig::check({.memory = "beta(0.01,1000)"}, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace demand_test
}  // namespace park::test
