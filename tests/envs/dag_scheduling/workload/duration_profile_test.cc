#include "park/envs/dag_scheduling/workload/duration_profile.h"

#include <gtest/gtest.h>

#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace duration_profile_test {

TEST(DurationProfile, GroupsByWaveAndExecutors) {
  dag_scheduling::StageProfile quick, slow;
  quick.tasks = slow.tasks = 1;
  quick.cells = {{dag_scheduling::Wave::rest, 4, {100, 300}},
                 {dag_scheduling::Wave::fresh, 4, {200}}};
  slow.cells = {{dag_scheduling::Wave::rest, 4, {1000}}, {dag_scheduling::Wave::rest, 8, {3000}}};
  dag_scheduling::WorkloadBuilder builder("w", "");
  builder.add_job({"a", {quick, slow}});
  builder.add_job({"b", {quick}});
  const dag_scheduling::Workload workload = builder.build();

  const auto job = dag_scheduling::workload::duration_profile(workload, workload.jobs().first(1));
  ASSERT_EQ(job.size(), 3U);
  EXPECT_EQ(job[0].wave, dag_scheduling::Wave::fresh);
  EXPECT_EQ(job[1].executors, 4);
  EXPECT_EQ(job[1].samples, 3U);
  EXPECT_DOUBLE_EQ(job[1].mean_s, (0.1 + 0.3 + 1.0) / 3);
  // The means of the stages are 0.2 s and 2 s.
  EXPECT_DOUBLE_EQ(job[1].relative_mean, (0.5 + 1.5 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(job[1].relative_p10, 0.5);
  EXPECT_DOUBLE_EQ(job[1].relative_p50, 0.5);
  EXPECT_DOUBLE_EQ(job[1].relative_p90, 1.5);
  EXPECT_EQ(job[2].executors, 8);

  const auto all = dag_scheduling::workload::duration_profile(workload, workload.jobs());
  EXPECT_EQ(all[1].samples, 5U);
}

}  // namespace duration_profile_test
}  // namespace park::test
