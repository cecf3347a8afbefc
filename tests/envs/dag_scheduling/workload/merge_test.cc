#include "park/envs/dag_scheduling/workload/merge.h"

#include <gtest/gtest.h>

#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace merge_test {

using dag_scheduling::JobProfile;
using dag_scheduling::Workload;

Workload workload_of(const std::vector<JobProfile>& jobs, const std::string& name = "w",
                     const dag_scheduling::Inflation& inflation = {}) {
  dag_scheduling::WorkloadBuilder builder(name, "made for " + name, inflation);
  for (const JobProfile& job : jobs) builder.add_job(job);
  return builder.build();
}

Workload merged(const std::vector<const Workload*>& inputs,
                const dag_scheduling::workload::MergeOptions& options = {}) {
  return dag_scheduling::workload::merge_workloads(inputs, options);
}

TEST(Merge, OfOneInputChangesNothing) {
  const Workload one = sample_workload();
  EXPECT_EQ(dag_scheduling::workload_bytes(merged({&one})), dag_scheduling::workload_bytes(one));
}

TEST(Merge, JoinsSamplesInTheOrderOfTheInputs) {
  const std::vector<JobProfile> jobs = sample_jobs();
  JobProfile again = jobs[1];
  again.stages[0].cells = {{dag_scheduling::Wave::first, 4, {70, 60}},
                           {dag_scheduling::Wave::rest, 4, {5}}};
  again.stages[0].run_s = 0.5;
  const Workload a = workload_of({jobs[1]}, "a"), b = workload_of({jobs[0], again}, "b");
  const Workload both = merged({&a, &b});
  ASSERT_EQ(both.jobs().size(), 2U);
  EXPECT_EQ(both.jobs()[0].name, "1g:2");
  const JobProfile job = dag_scheduling::job_profile(both, both.jobs()[0]);
  EXPECT_EQ(job.stages[0].cells[0].durations_ms, (std::vector<std::uint32_t>{50, 70, 60}));
  EXPECT_EQ(job.stages[0].cells.size(), 2U);
  EXPECT_EQ(job.stages[0].run_s, 0.5);
  EXPECT_EQ(dag_scheduling::job_profile(both, both.jobs()[1]), jobs[0]);
  EXPECT_EQ(both.name(), "a");
  EXPECT_EQ(both.provenance(), "made for a\nmade for b");
}

TEST(Merge, KeepsTheBytesOfAJobThatOneInputHas) {
  const std::vector<JobProfile> jobs = sample_jobs();
  const Workload a = workload_of({jobs[0]}), b = workload_of({jobs[1]});
  const Workload both = merged({&a, &b});
  EXPECT_EQ(dag_scheduling::job_bytes(both, 0), dag_scheduling::job_bytes(a, 0));
  EXPECT_EQ(dag_scheduling::job_bytes(both, 1), dag_scheduling::job_bytes(b, 0));
}

TEST(Merge, MatchesStagesOfOtherNumbers) {
  JobProfile job = sample_jobs()[0];  // a diamond 0, (1, 2), 3
  job.stages[1].tasks = 7;
  JobProfile turned;
  turned.name = job.name;
  turned.stages = {job.stages[3], job.stages[2], job.stages[1], job.stages[0]};
  turned.stages[0].parents = {1, 2};
  turned.stages[1].parents = {3};
  turned.stages[2].parents = {3};
  turned.stages[2].cells = {{dag_scheduling::Wave::fresh, 1, {11}}};
  JobProfile into = job;
  ASSERT_EQ(dag_scheduling::workload::append_samples(into, turned), std::nullopt);
  EXPECT_EQ(into.stages[1].cells[0].durations_ms, (std::vector<std::uint32_t>{900, 11}));
  EXPECT_EQ(into.stages[2].cells[0].durations_ms, (std::vector<std::uint32_t>{900, 900}));
}

TEST(Merge, GraphsMustAgree) {
  const std::vector<JobProfile> jobs = sample_jobs();
  const auto error = [&](auto change) {
    JobProfile other = jobs[0];
    change(other);
    const Workload a = workload_of({jobs[0]}), b = workload_of({other});
    return error_of([&] { (void)merged({&a, &b}); });
  };
  EXPECT_EQ(error([](JobProfile& j) { j.stages[3].tasks = 9; }),
            "job 1g:1: the inputs differ: stage 3 has 3 tasks in one and 9 in another");
  EXPECT_EQ(error([](JobProfile& j) { j.stages[3].parents = {1}; }),
            "job 1g:1: the inputs differ: stage 3 has different parents");
  EXPECT_EQ(error([](JobProfile& j) { j.stages[3].cpus = 3; }),
            "job 1g:1: the inputs differ: stage 3 has different demands");
  EXPECT_EQ(error([](JobProfile& j) { j.stages.pop_back(); }),
            "job 1g:1: the inputs differ: it has 4 stages in one and 3 in another");
}

TEST(Merge, InflationIsGivenOrAgreedUpon) {
  const Workload with = sample_workload(), without = sample_workload(dag_scheduling::Inflation{});
  EXPECT_EQ(error_of([&] {
              (void)merged({&with, &without});
            }),
            "inflation: the inputs differ; give model or none");
  EXPECT_TRUE(merged({&with, &with}).inflation().present);
  dag_scheduling::workload::MergeOptions options;
  options.inflation = dag_scheduling::Inflation{};
  EXPECT_FALSE(merged({&with, &without}, options).inflation().present);
  EXPECT_EQ(error_of([] { (void)merged({}); }), "merge: there must be at least one input");
}

}  // namespace merge_test
}  // namespace park::test
