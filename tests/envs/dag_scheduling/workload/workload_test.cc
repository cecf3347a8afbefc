// Workloads in memory: what a builder accepts, what is derived, and how open files are shared.
#include "park/envs/dag_scheduling/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace workload_test {

using dag_scheduling::JobProfile;
using dag_scheduling::StageProfile;
using dag_scheduling::Wave;
using dag_scheduling::Workload;

std::string build_error(const std::vector<JobProfile>& jobs, const std::string& name = "w") {
  return error_of([&] {
    dag_scheduling::WorkloadBuilder builder(name, "");
    for (const JobProfile& job : jobs) builder.add_job(job);
    (void)builder.build();
  });
}

/// The error of the sample's first job after a change to one of its stages.
template <class Change>
std::string stage_error(std::size_t stage, Change&& change) {
  std::vector<JobProfile> jobs = sample_jobs();
  change(jobs[0].stages[stage]);
  return build_error(jobs);
}

TEST(Workload, HoldsWhatWasBuilt) {
  const Workload workload = sample_workload();
  EXPECT_EQ(workload.name(), "sample");
  EXPECT_EQ(workload.provenance(), "made up");
  EXPECT_TRUE(workload.inflation().present);
  ASSERT_EQ(workload.jobs().size(), 2U);
  const auto stages = workload.stages(workload.jobs()[0]);
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].tasks, 3);
  EXPECT_EQ(stages[0].run_s, 1.5);
  EXPECT_EQ(stages[1].cpus, 2);
  EXPECT_EQ(stages[1].memory, 0.25F);
  EXPECT_TRUE(workload.parents(stages[0]).empty());
  ASSERT_EQ(workload.parents(stages[3]).size(), 2U);
  EXPECT_EQ(workload.parents(stages[3])[1], 2);
  const auto cells = workload.cells(stages[2]);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[1].wave, Wave::rest);
  EXPECT_EQ(workload.durations_ms(cells[1])[2], 128U);
  EXPECT_DOUBLE_EQ(stages[0].mean_duration_s, (900 + 100 + 127 + 128 + 16384) / 5.0 / 1e3);
  EXPECT_EQ(workload.sample_count(), 5U * 3 + 2 + 1);
}

TEST(Workload, FindsJobsByName) {
  const Workload workload = sample_workload();
  EXPECT_EQ(workload.find("1g:1"), 0U);
  EXPECT_EQ(workload.find("1g:2"), 1U);
  EXPECT_FALSE(workload.find("1g:").has_value());
  EXPECT_FALSE(workload.find("").has_value());
  EXPECT_FALSE(workload.find("zz").has_value());
}

TEST(Workload, ProfilesComeBackAsTheyWere) {
  const Workload workload = sample_workload();
  const std::vector<JobProfile> jobs = sample_jobs();
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    EXPECT_EQ(dag_scheduling::job_profile(workload, workload.jobs()[j]), jobs[j]);
  }
}

TEST(Workload, SortsParentsAndCells) {
  StageProfile stage;
  stage.tasks = 1;
  stage.cells = {{Wave::rest, 1, {3}}, {Wave::fresh, 9, {1}}, {Wave::fresh, 2, {2}}};
  StageProfile child = stage;
  child.parents = {2, 0};
  dag_scheduling::WorkloadBuilder builder("w", "");
  builder.add_job({"j", {stage, child, stage}});
  const Workload workload = builder.build();
  const auto stages = workload.stages(workload.jobs()[0]);
  EXPECT_EQ(workload.parents(stages[1])[0], 0);
  EXPECT_EQ(workload.parents(stages[1])[1], 2);
  const auto cells = workload.cells(stages[0]);
  EXPECT_EQ(cells[0].executors, 2);
  EXPECT_EQ(cells[1].executors, 9);
  EXPECT_EQ(cells[2].wave, Wave::rest);
}

TEST(WorkloadBuilder, TakesNoSignFromZero) {
  const auto bytes = [](float memory, double run_s) {
    StageProfile stage;
    stage.tasks = 1;
    stage.memory = memory;
    stage.run_s = run_s;
    stage.cells = {{Wave::rest, 1, {3}}};
    dag_scheduling::WorkloadBuilder builder("w", "");
    builder.add_job({"j", {stage}});
    return dag_scheduling::workload_bytes(builder.build());
  };
  EXPECT_EQ(bytes(-0.0F, -0.0), bytes(0, 0));
}

TEST(WorkloadBuilder, NamesEveryViolation) {
  EXPECT_EQ(build_error({}), "jobs: there must be at least one");
  EXPECT_EQ(build_error({{"j", {}}}), "job j: it has no stages");
  EXPECT_EQ(build_error({{"", {}}}),
            "job number 0: its name must be 1 to 256 bytes without control characters");
  EXPECT_EQ(build_error(sample_jobs(), "a\nb"),
            "name: must be 1 to 256 bytes without control characters");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.tasks = 0; }),
            "job 1g:1 stage 0: tasks must be 1 to 10000000");
  EXPECT_EQ(stage_error(2, [](StageProfile& s) { s.tasks = -4; }),
            "job 1g:1 stage 2: tasks must be 1 to 10000000");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cpus = -1; }),
            "job 1g:1 stage 0: cpus and memory must be finite and at least 0");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.memory = std::nanf(""); }),
            "job 1g:1 stage 0: cpus and memory must be finite and at least 0");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.run_s = -0.5; }),
            "job 1g:1 stage 0: run and CPU time must be finite and at least 0");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cells.clear(); }),
            "job 1g:1 stage 0: it has no measured durations");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cells[1].durations_ms.clear(); }),
            "job 1g:1 stage 0: a cell is empty");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cells[1].durations_ms[1] = 0; }),
            "job 1g:1 stage 0: durations must be at least 1 ms");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cells[1].executors = 0; }),
            "job 1g:1 stage 0: a cell's executors must be at least 1");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.cells.push_back(s.cells[1]); }),
            "job 1g:1 stage 0: cells must be sorted by wave and executors, no two alike");
  EXPECT_EQ(stage_error(3, [](StageProfile& s) { s.parents = {4}; }),
            "job 1g:1 stage 3: a parent is no stage of the job");
  EXPECT_EQ(stage_error(3,
                        [](StageProfile& s) {
                          s.parents = {1, 1};
                        }),
            "job 1g:1 stage 3: parents must be ascending and different");
  EXPECT_EQ(stage_error(3, [](StageProfile& s) { s.parents = {3}; }),
            "job 1g:1: its stages form a cycle");
  EXPECT_EQ(stage_error(0, [](StageProfile& s) { s.parents = {3}; }),
            "job 1g:1: its stages form a cycle");
}

TEST(WorkloadBuilder, ReportsSeveralViolationsAtOnce) {
  std::vector<JobProfile> jobs = sample_jobs();
  jobs[0].stages[0].tasks = 0;
  jobs[0].stages[1].cells.clear();
  jobs.push_back(jobs[1]);
  EXPECT_EQ(build_error(jobs),
            "job 1g:1 stage 0: tasks must be 1 to 10000000\n"
            "job 1g:1 stage 1: it has no measured durations\n"
            "job 1g:2: the name occurs more than once");
}

TEST(WorkloadBuilder, ReportsTwentyViolationsAtMost) {
  JobProfile job{"j", std::vector<StageProfile>(100)};
  const std::string text = build_error({job});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 19);
}

TEST(Inflation, GrowsFromOneLevelToAnother) {
  const dag_scheduling::Inflation fitted = dag_scheduling::Inflation::fitted();
  for (const Wave wave : {Wave::fresh, Wave::first, Wave::rest}) {
    EXPECT_EQ(fitted.factor(wave, 2, 2), 1.0);
    EXPECT_EQ(fitted.factor(wave, 2, 1), 1.0);
    double last = 1.0;
    for (const double n : {5.0, 10.0, 20.0, 50.0, 100.0}) {
      EXPECT_GT(fitted.factor(wave, 2, n), last);
      last = fitted.factor(wave, 2, n);
      EXPECT_NEAR(fitted.factor(wave, 2, 7) * fitted.factor(wave, 7, 100),
                  fitted.factor(wave, 2, 100), 1e-12);
    }
    EXPECT_EQ(fitted.factor(wave, 2, 1e9), last) << "no growth where the fit had no data";
  }
}

TEST(Inflation, AbsentMeansNoGrowth) {
  EXPECT_EQ(dag_scheduling::Inflation{}.factor(Wave::first, 1, 100), 1.0);
}

TEST(Inflation, MustBeSane) {
  dag_scheduling::Inflation bad = dag_scheduling::Inflation::fitted();
  bad.growth[1].slope = -1;
  EXPECT_EQ(error_of([&] { (void)sample_workload(bad); }),
            "inflation: coefficients must be finite, slopes at least 0, powers above 0");
}

TEST(WorkloadOpen, HoldsOneCopyPerFile) {
  const ScratchFolder folder("open");
  const std::string path = folder.file("a.park");
  dag_scheduling::write_workload(sample_workload(), path);
  const auto first = Workload::open(path);
  EXPECT_EQ(first, Workload::open(path));
  EXPECT_EQ(first, Workload::open(folder.file("./a.park")));
}

TEST(WorkloadOpen, ReadsAReplacedFileAnew) {
  const ScratchFolder folder("replace");
  const std::string path = folder.file("a.park");
  dag_scheduling::write_workload(sample_workload(), path);
  const auto before = Workload::open(path);
  dag_scheduling::WorkloadBuilder builder("other", "");
  builder.add_job(sample_jobs()[1]);
  dag_scheduling::write_workload(builder.build(), path);
  const auto after = Workload::open(path);
  EXPECT_EQ(before->jobs().size(), 2U) << "whoever held it keeps it";
  EXPECT_EQ(after->name(), "other");
}

TEST(WorkloadOpen, ErrorsNameTheFile) {
  const ScratchFolder folder("missing");
  const std::string path = folder.file("none.park");
  EXPECT_EQ(error_of([&] { (void)Workload::open(path); }), path + ": No such file or directory");
}

}  // namespace workload_test
}  // namespace park::test
