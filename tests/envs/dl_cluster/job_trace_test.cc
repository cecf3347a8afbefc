// Traces of jobs: their files, and the episodes that follow them.
#include "park/envs/dl_cluster/job_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dl_cluster/goodput.h"
#include "park/envs/dl_cluster/job_source.h"
#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace job_trace_test {

using dl_cluster::DlClusterConfig;
using dl_cluster::JobInput;
using dl_cluster::JobSource;
using dl_cluster::JobTrace;

const std::string kTrace = "submit_s,gpus,run_s\n100,1,600\n160,3,1200\n160,100,300\n400,8,60\n";

std::string trace_error(const std::string& text) {
  return error_of([&] { static_cast<void>(JobTrace::parse(text, "T")); });
}

TEST(JobTraces, HaveSubmissionsRequestsAndRunTimes) {
  const JobTrace trace = JobTrace::parse("submit_s,gpus,run_s\r\n1,2,3.5\r\n4,1,0.001", "T");
  EXPECT_EQ((std::vector<JobTrace::Job>(trace.jobs().begin(), trace.jobs().end())),
            (std::vector<JobTrace::Job>{{1, 3.5, 2}, {4, 0.001, 1}}));
  EXPECT_EQ(trace.period_s(), 6);
  EXPECT_EQ(JobTrace::parse(kTrace, "T").period_s(), 400);
}

TEST(JobTraces, SayInALineWhatIsWrong) {
  const std::string header = "submit_s,gpus,run_s\n";
  EXPECT_EQ(trace_error("time_s\n"), "T:1: the header must be 'submit_s,gpus,run_s'");
  for (const char* fields : {"1,1", "1,1,1,1", "", "1"})
    EXPECT_EQ(trace_error(header + fields + "\n2,1,1\n3,1,1\n"),
              "T:2: must have 3 fields: submit_s,gpus,run_s");
  for (const char* time : {"-1", "x", "", "nan", "1e13"})
    EXPECT_EQ(trace_error(header + time + ",1,1\n"),
              "T:2: submit_s must be a number from 0 to 1e12");
  EXPECT_EQ(trace_error(header + "2,1,1\n1,1,1\n"), "T:3: submit_s must not decrease");
  for (const char* gpus : {"0", "1.5", "-1", "2000000", "inf"})
    EXPECT_EQ(trace_error(header + "1," + gpus + ",1\n"),
              "T:2: gpus must be a whole number from 1 to 1e6");
  for (const char* run : {"0", "-1", "1e10", "nan", "1 s"})
    EXPECT_EQ(trace_error(header + "1,1," + run + "\n"),
              "T:2: run_s must be a number from 1e-3 to 1e9");
  for (const char* rows : {"", "1,1,1\n", "1,1,1\n1,1,1\n"})
    EXPECT_EQ(trace_error(header + rows),
              "T: must have two jobs that were submitted at different times");
  const std::string ten = trace_error(header + std::string(100, '\n'));
  EXPECT_EQ(std::count(ten.begin(), ten.end(), '\n'), 9);
}

class FollowTheTrace : public ::testing::Test, protected ClusterPlayer {
 protected:
  [[nodiscard]] std::vector<JobInput> draw(DlClusterConfig c, std::uint64_t inputs = 1) const {
    c.model = "allreduce";
    c.trace = file_.path();
    std::vector<JobInput> jobs;
    JobSource(c, {}).draw(inputs, jobs);
    return jobs;
  }
  [[nodiscard]] std::string env(const std::string& more) const {
    return "dl_cluster(model=allreduce,trace=\"" + file_.path() + "\"" + more + ")";
  }

  TemporaryFile file_{kTrace};
};

void expect_arrivals(const std::vector<JobInput>& jobs, const std::vector<double>& expected) {
  ASSERT_EQ(jobs.size(), expected.size());
  for (std::size_t k = 0; k < jobs.size(); ++k)
    EXPECT_NEAR(jobs[k].arrival_s, expected[k], 1e-9) << k;
}

TEST_F(FollowTheTrace, ArrivalsAreStretchedOrAsRecorded) {
  DlClusterConfig c;
  c.jobs = 6;
  c.span_s = 1200;  // 200 s a job, so 800 s for the trace's period of 400 s
  c.trace_start = "first";
  expect_arrivals(draw(c), {0, 120, 120, 600, 800, 920});
  c.trace_times = "recorded";
  expect_arrivals(draw(c), {0, 60, 60, 300, 400, 460});
  c.span_s = 0;
  c.trace_times = "stretched";
  expect_arrivals(draw(c), std::vector<double>(6, 0.0));
}

TEST_F(FollowTheTrace, EpisodesBeginAnywhereAndGoRound) {
  DlClusterConfig c;
  c.jobs = 9;
  c.trace_times = "recorded";
  std::vector<int> begun(4, 0);
  for (std::uint64_t inputs = 0; inputs < 200; ++inputs) {
    const auto jobs = draw(c, inputs);
    EXPECT_EQ(jobs.size(), 9u);
    EXPECT_EQ(jobs[0].arrival_s, 0);
    EXPECT_EQ(jobs[4].arrival_s, 400);
    EXPECT_EQ(jobs[8].arrival_s, 800);
    const std::vector<std::int32_t> requests{1, 4, 64, 8};
    const auto at = std::ranges::find(requests, jobs[0].request_workers) - requests.begin();
    ++begun[static_cast<std::size_t>(at)];
    for (std::size_t k = 0; k < jobs.size(); ++k)
      EXPECT_EQ(jobs[k].request_workers, requests[(static_cast<std::size_t>(at) + k) % 4]);
  }
  for (const int n : begun) EXPECT_GT(n, 20);
}

TEST_F(FollowTheTrace, RequestsAreRungsOfTheLadder) {
  DlClusterConfig c;
  c.jobs = 4;
  c.trace_start = "first";
  const auto requests = [&] {
    std::vector<std::int32_t> all;
    for (const JobInput& job : draw(c)) all.push_back(job.request_workers);
    return all;
  };
  EXPECT_EQ(requests(), (std::vector<std::int32_t>{1, 4, 64, 8}));
  c.ladder = "all";
  EXPECT_EQ(requests(), (std::vector<std::int32_t>{1, 3, 64, 8}));
  c.ladder = "fours";
  c.max_gpus = 6;
  EXPECT_EQ(requests(), (std::vector<std::int32_t>{1, 4, 4, 4}));
}

/// Types are drawn by the shares of the table, by the number of the job; work follows from the run
/// time and the speed of the type.
TEST_F(FollowTheTrace, TypesAreDrawnAndWorkIsThatOfTheRunTime) {
  DlClusterConfig c;
  c.jobs = 4000;
  c.power = 0.5;
  c.trace_start = "first";
  std::vector<int> types(dl_cluster::kTrainingTypes.size(), 0);
  const auto jobs = draw(c), again = draw(c);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    ++types[static_cast<std::size_t>(jobs[k].type)];
    EXPECT_EQ(jobs[k].type, again[k].type);
    const double run_s = std::vector<double>{600, 1200, 300, 60}[k % 4];
    EXPECT_NEAR(jobs[k].estimate, run_s * std::sqrt(jobs[k].request_workers), 1e-6);
    EXPECT_EQ(jobs[k].work, jobs[k].estimate);
  }
  for (std::size_t t = 0; t < types.size(); ++t)
    EXPECT_NEAR(types[t] / 4000.0, dl_cluster::kTrainingTypes[t].share, 0.03);
  c.jobs = 8;  // the same draws, whatever the number of jobs
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(draw(c)[k].type, jobs[k].type);
  c.work_error = 0.5;
  bool differs = false;
  for (const JobInput& job : draw(c)) {
    differs = differs || job.work != job.estimate;
    EXPECT_LE(std::abs(job.work / job.estimate - 1), 0.5);
  }
  EXPECT_TRUE(differs);
}

/// On what it asks for, a job takes the time of the trace and that of the change. Its speed is that
/// of its stage when a round begins, so short rounds come near.
TEST_F(FollowTheTrace, AJobOnItsRequestRunsAsLongAsRecorded) {
  const std::string text = env(",jobs=1,change_s=45,round_s=1,nodes=4");
  std::vector<float> requests;
  const auto played = play(text, "fcfs", 6, [&](ConstRow row, const Spec&) {
    const Batch& b = row.batch();
    if (row.scalar(b.field<double>("cluster.time_s")) > 0) return;
    if (row[b.field<float>("job.workers")][0] == 0)
      requests.push_back(row[b.field<float>("job.request_workers")][0]);
  });
  ASSERT_EQ(requests.size(), played.size());
  for (std::size_t e = 0; e < played.size(); ++e) {
    const double run_s = requests[e] == 1   ? 600
                         : requests[e] == 4 ? 1200
                         : requests[e] == 8 ? 60
                                            : 300;
    const double jct_s = played[e].metrics[spec(text).metric("avg_jct_s")];
    EXPECT_NEAR(jct_s, 45 + run_s, 0.01 * run_s) << requests[e];
  }
}

TEST_F(FollowTheTrace, EpisodesPlayWithEveryKindOfPolicy) {
  const std::string text = env(",jobs=12,nodes=4,span_s=3600,round_s=300,speed_noise=0.1");
  const Spec s = spec(text);
  for (const char* policy : {"random", "equal_share", "srsf", "marginal_goodput", "fcfs"})
    for (const PlayedEpisode& e : play(text, policy, 2)) {
      ASSERT_EQ(e.end, End::terminated) << policy;
      const double sum_s = e.metrics[s.metric("avg_jct_s")] * e.metrics[s.metric("jobs_done")];
      EXPECT_NEAR(-e.reward * 3600 / sum_s, 1, 1e-9) << policy;
    }
  const auto one = play(text, "srsf", 2), two = play(text, "srsf", 2);
  for (std::size_t e = 0; e < one.size(); ++e) EXPECT_EQ(one[e].metrics, two[e].metrics);
}

TEST_F(FollowTheTrace, TheTraceIsAFileOfTheInputs) {
  using Files = std::vector<std::filesystem::path>;
  EXPECT_EQ(registry().data_files(env("")), Files{file_.path()});
  EXPECT_EQ(registry().data_files("dl_cluster(table=x)"), Files{"x"});
  EXPECT_EQ(registry().data_files("dl_cluster"), Files{});
}

TEST_F(FollowTheTrace, WhatIsWrongIsSaid) {
  const auto refused = [&](const std::string& text) {
    return error_of([&] { static_cast<void>(spec(text)); });
  };
  EXPECT_NE(refused("dl_cluster(trace=x)").find("trace is for model = allreduce alone"),
            std::string::npos);
  EXPECT_NE(refused("dl_cluster(model=allreduce,trace_times=recorded)").find("needs a trace"),
            std::string::npos);
  EXPECT_NE(refused("dl_cluster(model=allreduce,trace_start=first)").find("needs a trace"),
            std::string::npos);
  EXPECT_NE(refused("dl_cluster(model=allreduce,trace=\"no such file\")")
                .find("trace: cannot read 'no such file': "),
            std::string::npos);
  file_.write("submit_s,gpus,run_s\n1,1,1\n");
  EXPECT_NE(refused(env("")).find(": must have two jobs that were submitted at different times"),
            std::string::npos);
}

}  // namespace job_trace_test
}  // namespace park::test
