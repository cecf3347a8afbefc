#include "park/envs/dag_scheduling/workload/describe.h"

#include <gtest/gtest.h>

#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace describe_test {

TEST(Describe, SumsUpJobs) {
  const dag_scheduling::workload::WorkloadSummary summary =
      dag_scheduling::workload::summarize(sample_workload());
  EXPECT_EQ(summary.name, "sample");
  EXPECT_EQ(summary.jobs, 2U);
  ASSERT_EQ(summary.per_job.size(), 2U);
  const dag_scheduling::workload::JobSummary& diamond = summary.per_job[0];
  const double scan_s = (900 + 100 + 127 + 128 + 16384) / 5.0 / 1e3;
  const double last_s = (1 + 4294967295.0) / 2 / 1e3;
  EXPECT_EQ(diamond.stages, 4U);
  EXPECT_EQ(diamond.edges, 4U);
  EXPECT_EQ(diamond.levels, 3U);
  EXPECT_EQ(diamond.tasks, 12);
  EXPECT_DOUBLE_EQ(diamond.work_s, 9 * scan_s + 3 * last_s);
  EXPECT_DOUBLE_EQ(diamond.critical_path_s, 2 * scan_s + last_s);
  EXPECT_EQ(diamond.run_s, 6.0);
  EXPECT_EQ(diamond.cpu_s, 5.0);
  EXPECT_EQ(diamond.samples, 17U);
  EXPECT_EQ(diamond.executors, (std::vector<std::uint16_t>{1, 2, 65535}));
  EXPECT_EQ(summary.total.tasks, 13);
  EXPECT_EQ(summary.total.levels, 3U);
  EXPECT_EQ(summary.total.executors, (std::vector<std::uint16_t>{1, 2, 4, 65535}));
  EXPECT_DOUBLE_EQ(summary.total.work_s, diamond.work_s + 0.05);
}

TEST(Describe, FindsTheLongestChainInAnyOrder) {
  dag_scheduling::StageProfile stage;
  stage.tasks = 1;
  stage.cells = {{dag_scheduling::Wave::rest, 1, {1000}}};
  dag_scheduling::JobProfile job{"backwards", std::vector<dag_scheduling::StageProfile>(50, stage)};
  for (std::uint16_t s = 0; s + 1 < 50; ++s)
    job.stages[s].parents = {static_cast<std::uint16_t>(s + 1)};
  dag_scheduling::WorkloadBuilder builder("w", "");
  builder.add_job(job);
  const dag_scheduling::workload::WorkloadSummary summary =
      dag_scheduling::workload::summarize(builder.build());
  EXPECT_EQ(summary.total.levels, 50U);
  EXPECT_DOUBLE_EQ(summary.total.critical_path_s, 50.0);
}

}  // namespace describe_test
}  // namespace park::test
