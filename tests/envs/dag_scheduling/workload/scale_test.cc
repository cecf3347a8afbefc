#include "park/envs/dag_scheduling/workload/scale.h"

#include <gtest/gtest.h>

#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace scale_test {

dag_scheduling::JobProfile scaled_diamond(const dag_scheduling::workload::JobScale& scale) {
  dag_scheduling::WorkloadBuilder builder("w", "made up");
  builder.add_job(sample_jobs()[0]);
  builder.add_job(sample_jobs()[1]);
  const dag_scheduling::Workload made =
      dag_scheduling::workload::scale_workload(builder.build(), "w.park", scale);
  return dag_scheduling::job_profile(made, made.jobs()[0]);
}

TEST(Scale, ByOneChangesNothingButTheProvenance) {
  EXPECT_EQ(scaled_diamond({.tasks = 1}), sample_jobs()[0]);
}

TEST(Scale, FactorsApplyToWhatTheyName) {
  dag_scheduling::WorkloadBuilder builder("w", "made up");
  dag_scheduling::JobProfile job = sample_jobs()[0];
  job.stages[3].cells[0].durations_ms = {1, 3, 5};
  builder.add_job(job);
  const dag_scheduling::Workload made = dag_scheduling::workload::scale_workload(
      builder.build(), "w.park", {.durations = 0.5, .tasks = 1.5, .cpus = 3, .memory = 2});
  const dag_scheduling::JobProfile other = dag_scheduling::job_profile(made, made.jobs()[0]);
  EXPECT_EQ(other.stages[0].tasks, 5);  // 4.5, rounded away from zero
  EXPECT_EQ(other.stages[0].run_s, 0.75);
  EXPECT_EQ(other.stages[0].cpu_s, 0.625);
  EXPECT_EQ(other.stages[1].cpus, 6);
  EXPECT_EQ(other.stages[1].memory, 0.5F);
  EXPECT_EQ(other.stages[1].parents, job.stages[1].parents);
  using Samples = std::vector<std::uint32_t>;
  EXPECT_EQ(other.stages[0].cells[1].durations_ms, (Samples{50, 64, 64}));
  EXPECT_EQ(other.stages[3].cells[0].durations_ms, (Samples{1, 2, 3}));
  EXPECT_EQ(made.provenance(),
            "made up\npark workload scale w.park --durations 0.5 --tasks 1.5 --cpus 3 --memory 2");
}

TEST(Scale, LeavesAtLeastOneTaskAndOneMillisecond) {
  const dag_scheduling::JobProfile small = scaled_diamond({.durations = 1e-6, .tasks = 0.001});
  for (const auto& stage : small.stages) EXPECT_EQ(stage.tasks, 1);
  EXPECT_EQ(small.stages[0].cells[0].durations_ms, std::vector<std::uint32_t>{1});
}

TEST(Scale, RefusesWhatBecomesTooLarge) {
  EXPECT_EQ(error_of([] { (void)scaled_diamond({.durations = 1.01}); }),
            "w.park: job 1g:1 stage 3 gets a duration above 4294967.295 s");
  EXPECT_EQ(error_of([] { (void)scaled_diamond({.tasks = 1e6, .memory = 1e6}); }), "no error");
  EXPECT_NE(error_of([] {
              dag_scheduling::WorkloadBuilder builder("w", "");
              dag_scheduling::JobProfile job = sample_jobs()[1];
              job.stages[0].tasks = 11;
              builder.add_job(job);
              (void)dag_scheduling::workload::scale_workload(builder.build(), "w", {.tasks = 1e6});
            }).find("stage 0 gets more than 10000000 tasks"),
            std::string::npos);
}

}  // namespace scale_test
}  // namespace park::test
