#include "park/envs/dag_scheduling/workload/filter.h"

#include <gtest/gtest.h>

#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace filter_test {

/// Jobs c1 .. c9: a chain of k stages with k tasks of k seconds each.
dag_scheduling::Workload chains() {
  dag_scheduling::WorkloadBuilder builder("chains", "made up", dag_scheduling::Inflation::fitted());
  for (std::uint16_t k = 1; k <= 9; ++k) {
    dag_scheduling::JobProfile job{"c" + std::to_string(k), {}};
    for (std::uint16_t s = 0; s < k; ++s) {
      dag_scheduling::StageProfile& stage = job.stages.emplace_back();
      stage.tasks = k;
      if (s > 0) stage.parents = {static_cast<std::uint16_t>(s - 1)};
      stage.cells = {{dag_scheduling::Wave::rest, 1, {1000U * k}}};
    }
    builder.add_job(job);
  }
  return builder.build();
}

dag_scheduling::Workload filtered(const std::string& fields) {
  return dag_scheduling::workload::filter_workload(
      chains(), "chains.park",
      parse_config<dag_scheduling::workload::JobFilter>(parse_text("f(" + fields + ")")));
}

/// The digits of the jobs that stay.
std::string kept(const std::string& fields) {
  std::string names;
  const dag_scheduling::Workload some = filtered(fields);
  for (const auto& job : some.jobs()) names += job.name.substr(1);
  return names;
}

TEST(Filter, BoundsBelongToTheRange) {
  EXPECT_EQ(kept(""), "123456789");
  EXPECT_EQ(kept("min_stages=3,max_stages=5"), "345");
  EXPECT_EQ(kept("min_tasks=9,max_tasks=25"), "345");      // k stages of k tasks
  EXPECT_EQ(kept("min_work_s=27,max_work_s=125"), "345");  // of k seconds each
  EXPECT_EQ(kept("min_critical_path_s=9,max_critical_path_s=25"), "345");
  EXPECT_EQ(kept("min_stages=3,max_tasks=25,min_work_s=28"), "45");
}

TEST(Filter, PatternsAreThoseOfAShell) {
  EXPECT_EQ(kept("match=\"c?\""), "123456789");
  EXPECT_EQ(kept("match=\"c[2-4],*7\""), "2347");
  EXPECT_EQ(kept("exclude=\"c[2-4],*7\""), "15689");
  EXPECT_EQ(kept("match=\"c[2-4]\",exclude=c3"), "24");
  EXPECT_EQ(kept("match=c8"), "8");
}

TEST(Filter, EveryCountsWhatMeetsTheRest) {
  EXPECT_EQ(kept("every=4"), "159");
  EXPECT_EQ(kept("min_stages=3,every=3"), "369");
}

TEST(Filter, KeepsJobsAsTheyAre) {
  const dag_scheduling::Workload all = chains(), some = filtered("min_stages=4,max_stages=4");
  EXPECT_EQ(dag_scheduling::job_bytes(some, 0), dag_scheduling::job_bytes(all, 3));
  EXPECT_EQ(some.name(), "chains");
  EXPECT_TRUE(some.inflation().present);
  EXPECT_EQ(
      some.provenance(),
      "made up\npark workload filter chains.park --min-stages 4 --max-stages 4 (1 of 9 jobs)");
}

TEST(Filter, RefusesWhatLeavesNothing) {
  EXPECT_EQ(error_of([] { (void)kept("match=d1"); }),
            "chains.park: the filter leaves none of 9 jobs");
  EXPECT_EQ(error_of([] { (void)kept("min_stages=3,max_stages=2,min_work_s=1.5,max_work_s=1"); }),
            "min_stages = 3 is above max_stages = 2\nmin_work_s = 1.5 is above max_work_s = 1");
}

}  // namespace filter_test
}  // namespace park::test
