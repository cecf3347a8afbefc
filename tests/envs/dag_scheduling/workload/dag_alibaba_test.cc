// Job graphs of the Alibaba trace: names of tasks, jobs that are left out, sampling of jobs.
#include <gtest/gtest.h>

#include "park/core/rng.h"
#include "tests/envs/dag_scheduling/workload/dag_support.h"

namespace park::test {
namespace dag_alibaba_test {

using dag_scheduling::workload::DagForm;

Imported read(const std::string& text,
              const dag_scheduling::workload::DagImportOptions& options = {}) {
  return import_form(DagForm::alibaba, {text}, options);
}
std::string error(const std::string& text) { return import_error(DagForm::alibaba, text); }

constexpr const char* kGood = "M1,1,good,1,Terminated,10,20,100,1\n";

TEST(DagAlibaba, ReadsGraphsFromTheNamesOfTasks) {
  // The example of the trace's own description, in another order, and two jobs between its lines.
  const Imported all = read(
      "M5_3_4,7,j_1,1,Terminated,160,172,200,1.25\n"
      "task_LTg0MTUx,4,j_2,2,Terminated,50,53,50,0.5\n"
      "M1,10,j_1,1,Terminated,100,130,100,0.5\n"
      "R4_2,2,j_1,1,Terminated,150,160,100,0.5\n"
      "M1,1,j_3,1,Terminated,70,70,100,0.5\n"
      "M3_1,3,j_1,1,Terminated,131,150,100,0.5\n"
      "task_MjQ1,5,j_2,2,Terminated,40,44,,\n"
      "M2_1,1,j_1,1,Terminated,130,150,100,0.5\n"
      "R2_1_Stg1,1,j_3,1,Terminated,71,71.5,100,0.5");
  ASSERT_EQ(all.workload.jobs().size(), 3U);
  const dag_scheduling::JobProfile one = job_called(all.workload, "j_1");
  ASSERT_EQ(one.stages.size(), 5U);  // by number
  using Parents = std::vector<std::uint16_t>;
  EXPECT_EQ(one.stages[0].parents, Parents{});
  EXPECT_EQ(one.stages[1].parents, Parents{0});
  EXPECT_EQ(one.stages[2].parents, Parents{0});
  EXPECT_EQ(one.stages[3].parents, Parents{1});
  EXPECT_EQ(one.stages[4].parents, (Parents{2, 3}));
  EXPECT_EQ(one.stages[4].tasks, 7);
  EXPECT_EQ(one.stages[4].cpus, 2);
  EXPECT_EQ(one.stages[4].memory, 0.0125F);
  EXPECT_EQ(one.stages[4].cells[0].durations_ms, std::vector<std::uint32_t>{12000});
  const dag_scheduling::JobProfile two = job_called(all.workload, "j_2");
  ASSERT_EQ(two.stages.size(), 2U);
  EXPECT_EQ(two.stages[0].tasks, 4);
  EXPECT_EQ(two.stages[1].parents, Parents{});
  EXPECT_EQ(two.stages[1].cpus, 0);
  const dag_scheduling::JobProfile three = job_called(all.workload, "j_3");
  ASSERT_EQ(three.stages.size(), 2U);
  EXPECT_EQ(three.stages[0].cells[0].durations_ms, std::vector<std::uint32_t>{500});
  EXPECT_EQ(three.stages[1].parents, Parents{0});
  EXPECT_EQ(three.stages[1].cells[0].durations_ms, std::vector<std::uint32_t>{500});
  EXPECT_EQ(dag_scheduling::workload::arrivals_csv(all.report.arrivals),
            "time_s,job\n0,j_2\n30,j_3\n60,j_1\n");
  EXPECT_EQ(all.report.notes,
            (std::vector<std::string>{
                "file: stages that began and ended in the same second, taken as 0.5 s: 1",
                "file: stages without a number in their name, taken as without parents: 2",
                "file: stages without plan_cpu or plan_mem, taken as 0: 1"}));
  EXPECT_TRUE(all.report.dropped.empty());
}

TEST(DagAlibaba, DropsWholeJobsInGroups) {
  const std::string good = kGood;
  const Imported all = read(
      "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n" +
      good +
      "M1,1,failed1,1,Terminated,10,20,100,1\nR2_1,1,failed1,1,Failed,10,20,100,1\n"
      "M1,1,failed2,1,Running,10,0,100,1\n"
      "M1,1,late,1,Terminated,20,10,100,1\n"
      "M1,1,unknown,1,Terminated,,10,100,1\n"
      "M1,,none,1,Terminated,10,20,100,1\n"
      "M1,1,twice,1,Terminated,10,20,100,1\nR1,1,twice,1,Terminated,10,20,100,1\n"
      "M2_1,1,orphan,1,Terminated,10,20,100,1\n"
      "M1_2,1,circle,1,Terminated,10,20,100,1\nM2_1,1,circle,1,Terminated,10,20,100,1\n"
      "M1_1,1,self,1,Terminated,10,20,100,1\n"
      "task_a,1,same,1,Terminated,10,20,100,1\ntask_a,1,same,1,Terminated,10,20,100,1\n");
  EXPECT_EQ(all.report.jobs, 1U);
  std::vector<std::string> found;
  for (const auto& d : all.report.dropped)
    found.push_back(std::to_string(d.jobs) + " " + d.reason + ": " + d.first);
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "2 a task's status is not Terminated: job failed1 (file:3)",
                "2 a task has no start_time or end_time, ends before it starts or takes over 49 "
                "days: job late (file:6)",
                "1 a task's instance_num is no whole number from 1 to 10000000: job none (file:8)",
                "2 two tasks have the same number or name: job twice (file:9)",
                "1 a task depends on a number that no task has: job orphan (file:11)",
                "2 its tasks depend on each other in a cycle: job circle (file:12)"}));
}

TEST(DagAlibaba, StatusesAreAChoice) {
  dag_scheduling::workload::DagImportOptions options;
  options.status = {"Terminated", "Running"};
  const Imported all =
      read(std::string(kGood) + "M1,1,j,1,Running,10,20,100,1\n" + "M1,1,k,1,Waiting,10,20,100,1\n",
           options);
  EXPECT_EQ(all.report.jobs, 2U);
  ASSERT_EQ(all.report.dropped.size(), 1U);
  EXPECT_EQ(all.report.dropped[0].reason, "a task's status is not Terminated or Running");
  EXPECT_NE(all.workload.provenance().find("--status Terminated,Running"), std::string::npos);
}

TEST(DagAlibaba, ChoosesWholeJobs) {
  std::string text;
  for (int t = 1; t <= 3; ++t)
    for (int j = 0; j < 400; ++j)
      text += "M" + std::to_string(t) + (t > 1 ? "_1" : "") + ",1,j_" + std::to_string(j) +
              ",1,Terminated,10,20,100,1\n";
  dag_scheduling::workload::DagImportOptions options;
  options.one_in = 4;
  const Imported some = read(text, options);
  EXPECT_GT(some.report.jobs, 60U);
  EXPECT_LT(some.report.jobs, 140U);
  EXPECT_EQ(some.report.stages, 3 * some.report.jobs);
  options.max_jobs = 7;
  const Imported few = read(text, options);
  EXPECT_EQ(few.report.jobs, 7U);
  EXPECT_EQ(few.report.stages, 21U);
  EXPECT_EQ(few.workload.jobs()[6].name, some.workload.jobs()[6].name);
}

TEST(DagAlibaba, SaysWhatIsWrongWithALine) {
  EXPECT_EQ(error("M1,1,j,1,Terminated,10,20,100\n"),
            "file:1: there are 8 fields, must be 9: task_name,instance_num,job_name,task_type,"
            "status,start_time,end_time,plan_cpu,plan_mem");
  EXPECT_EQ(error(std::string(kGood) + "M1,x,j,1,Terminated,10,20,100,1\n"),
            "file:2: instance_num = x must be a number from 0 to 1e12, or empty");
  EXPECT_EQ(error("M1,1,j,1,Terminated,10,20,-1,1\n"),
            "file:1: plan_cpu = -1 must be a number from 0 to 1e12, or empty");
  EXPECT_EQ(error("M1,1,,1,Terminated,10,20,100,1\n"), "file:1: job_name is empty");
  EXPECT_EQ(error("M1,1,a\tb,1,Terminated,10,20,100,1\n"),
            "file:1: job_name = a\\x09b must be 1 to 256 bytes without control characters");
  EXPECT_EQ(error("M1,1,j,1,Failed,10,20,100,1\n"),
            "no job is left\na task's status is not Terminated: 1 dropped, the first is job j "
            "(file:1)");
  EXPECT_EQ(error(""), "no job is left");
  EXPECT_EQ(error_of([] {
              (void)import_form(DagForm::alibaba, {kGood, kGood});
            }),
            "file:1: job good: the name occurs in another file too");
}

/// Any order of the lines gives the same jobs.
TEST(DagAlibaba, JobsNeedNotBeContiguous) {
  std::vector<std::string> lines;
  for (int j = 0; j < 40; ++j)
    for (int t = 1; t <= 1 + j % 5; ++t)
      lines.push_back("M" + std::to_string(t) + (t > 1 ? "_" + std::to_string(t - 1) : "") + "," +
                      std::to_string(1 + (j * t) % 7) + ",j_" + std::to_string(j) +
                      ",1,Terminated,100," + std::to_string(101 + t) + ",100,0.5\n");
  const auto joined = [&] {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  };
  const Imported in_order = read(joined());
  Rng rng(3);
  rng.shuffle(std::span(lines));
  const Imported shuffled = read(joined());
  ASSERT_EQ(in_order.report.jobs, 40U);
  ASSERT_EQ(shuffled.report.jobs, 40U);
  for (const auto& job : in_order.workload.jobs())
    EXPECT_EQ(job_called(shuffled.workload, job.name), job_called(in_order.workload, job.name));
}

}  // namespace dag_alibaba_test
}  // namespace park::test
