// Importers of recorded jobs: what they make of each form, what they leave out, and what they do
// with rows that are broken.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "park/envs/dl_cluster/job_trace.h"
#include "tests/envs/dl_cluster/recorded.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace import_jobs_test {

using dl_cluster::jobs::Form;
using dl_cluster::jobs::ImportOptions;

const std::string kHeader = "submit_s,gpus,run_s\n";

ImportOptions completed() {
  ImportOptions options;
  options.take = "completed";
  return options;
}

std::string import_error(Form form, const std::vector<std::string>& texts) {
  return error_of([&] { static_cast<void>(import_texts(form, texts)); });
}

TEST(ImportJobs, AJobOfPhillyRunsForTheSumOfItsAttempts) {
  const std::string twice = philly_attempt("07 01:12:09", "07 01:13:09", 8) + ",\n" +
                            philly_attempt("07 02:00:00", "07 02:00:40", 4);
  const std::string lost =
      philly_attempt("null", "null", 0) + "," + philly_attempt("07 00:00:00", "07 00:00:30", 2);
  const std::string text =
      "[" + philly_job("2017-10-07 01:11:39", twice) + ",\n" +
      philly_job("2017-10-07 00:00:00", lost, "Killed") + "," +
      philly_job("2017-10-08 00:00:00", "") + "," +  // never ran
      philly_job("2017-10-08 00:00:00", philly_attempt("07 00:00:00", "null", 2)) + "," +  // runs
      philly_job("2017-10-08 00:00:00", philly_attempt("07 00:00:00", "07 01:00:00", 0)) + "]\n";
  const ImportedJobs made = import_texts(Form::philly, {text});
  EXPECT_EQ(made.text, kHeader + "0,2,30\n4299,8,100\n");
  EXPECT_EQ(made.report.rows, 5u);
  EXPECT_EQ(made.report.broken, 0u);
  EXPECT_EQ(made.report.not_run, 3u);
  EXPECT_EQ(made.report.jobs, 2u);
  EXPECT_EQ(made.report.length_s, 4299);
  EXPECT_EQ(made.report.gpu_s, 860);
}

TEST(ImportJobs, TimesOfPhillyMayBeMissing) {
  const std::string none = "{\"start_time\": \"None\", \"end_time\": \"\", \"detail\": []}," +
                           philly_attempt("07 00:00:00", "07 00:00:10", 1);
  const ImportedJobs made =
      import_texts(Form::philly, {"[" + philly_job("2017-10-07 00:00:00", none) + "," +
                                  philly_job("2017-10-07 00:00:05", none) + "]"});
  EXPECT_EQ(made.text, kHeader + "0,1,10\n5,1,10\n");
}

TEST(ImportJobs, JobsOfHeliosHaveADuration) {
  const ImportedJobs made = import_texts(
      Form::helios,
      {kHeliosHeader + helios_row("4", "2020-06-09 18:41:27", "249", "FAILED") +
           helios_row("0", "2020-06-09 18:41:28", "5") +
           helios_row("1", "2020-06-09 18:41:29", "") + helios_row("1", "2020-06-09 18:41:30", "0"),
       kHeliosHeader + helios_row("1", "2020-06-09 18:41:01", "36848")});
  EXPECT_EQ(made.text, kHeader + "0,1,36848\n26,4,249\n");
  EXPECT_EQ(made.report.not_run, 3u);
  const std::vector<std::string> states{kHeliosHeader +
                                        helios_row("1", "2020-06-09 00:00:00", "1") +
                                        helios_row("2", "2020-06-09 00:00:01", "1", "TIMEOUT") +
                                        helios_row("3", "2020-06-09 00:00:02", "1")};
  const ImportedJobs well = import_texts(Form::helios, states, completed());
  EXPECT_EQ(well.text, kHeader + "0,1,1\n2,3,1\n");
  EXPECT_EQ(well.report.not_completed, 1u);
}

TEST(ImportJobs, TablesOfAlibaba2020AreJoined) {
  const std::string tasks =
      pai_task("j1", "2.0", "110.0", "150.0", "50.0") +  // two halves
      pai_task("j1", "1.0", "105.0", "155.0", "25.0", "evaluator") +
      pai_task("j1", "4.0", "1.0", "9000.0", "", "ps") +  // no GPU
      pai_task("j2", "8.0", "200.0", "260.0", "100.0") +
      pai_task("j3", "1.0", "200.0", "", "100.0") +     // still runs
      pai_task("j4", "1.0", "0.0", "300.0", "100.0") +  // its start is not known
      pai_task("j5", "1.0", "1.0", "2.0", "100.0");
  const std::string jobs = pai_job("j2", "190.0", "Failed") + pai_job("j1", "100.0") +
                           pai_job("j3", "1.0") + pai_job("j4", "1.0") + pai_job("none", "1.0") +
                           pai_job("j5", "") + pai_job("j1", "100.0");
  for (const std::vector<std::string>& texts :
       {std::vector{tasks, jobs}, std::vector{jobs, tasks}}) {
    const ImportedJobs made = import_texts(Form::alibaba2020, texts);
    EXPECT_EQ(made.text, kHeader + "0,2,50\n90,8,60\n");
    EXPECT_EQ(made.report.rows, 14u);
    EXPECT_EQ(made.report.broken, 0u);
    EXPECT_EQ(made.report.not_run, 5u);
  }
  const std::vector<std::string> two{
      pai_task("a", "1", "10", "20", "10") + pai_task("b", "1", "10", "20", "10") +
          pai_task("c", "1", "10", "20", "10"),
      "job_name,inst_id,user,status,start_time,end_time\n" + pai_job("a", "1") +
          pai_job("b", "2", "Failed") + pai_job("c", "3")};
  const ImportedJobs well = import_texts(Form::alibaba2020, two, completed());
  EXPECT_EQ(well.text, kHeader + "0,1,10\n2,1,10\n");
  EXPECT_EQ(well.report.not_completed, 1u);
}

TEST(ImportJobs, PodsOfAlibaba2023RunWhenScheduled) {
  const ImportedJobs made =
      import_texts(Form::alibaba2023, {kPodHeader + pod_row("8", "9437497", "10769854", "9437498") +
                                       pod_row("1", "9437500.5", "9437600", "9437550", "Running") +
                                       pod_row("0", "9437501", "9437600", "9437550") +
                                       pod_row("1", "9437502", "9437600", "", "Pending")});
  EXPECT_EQ(made.text, kHeader + "0,8,1332356\n3.5,1,50\n");
  EXPECT_EQ(made.report.not_run, 2u);
}

TEST(ImportJobs, APartOfTheTimeMayBeTaken) {
  std::string text = kHeliosHeader;
  for (int i = 10; i < 60; ++i)
    text += helios_row(std::to_string(i), "2020-06-09 00:00:" + std::to_string(69 - i), "1");
  ImportOptions options;
  options.begin_s = 1.5;
  options.length_s = 3;
  const ImportedJobs made = import_texts(Form::helios, {text}, options);
  EXPECT_EQ(made.text, kHeader + "0,57,1\n1,56,1\n2,55,1\n");
  // The time begins with the first job that ran, which may not be taken itself.
  options.take = "completed";
  options.begin_s = 4;
  const ImportedJobs well = import_texts(
      Form::helios,
      {kHeliosHeader + helios_row("1", "2020-06-09 00:00:00", "1", "FAILED") +
       helios_row("2", "2020-06-09 00:00:03", "1") + helios_row("3", "2020-06-09 00:00:05", "1") +
       helios_row("4", "2020-06-09 00:00:07", "1")},
      options);
  EXPECT_EQ(well.text, kHeader + "0,3,1\n2,4,1\n");
}

TEST(ImportJobs, BrokenRowsAreCountedAndListed) {
  std::string text = kHeliosHeader;
  for (int i = 0; i < 2991; ++i)
    text += helios_row("1", "2020-06-09 00:00:0" + std::to_string(i % 10), "60");
  for (const std::string& broken :
       {helios_row("-1", "2020-06-09 00:00:00", "1"), helios_row("1", "2020-06-09", "1"),
        helios_row("1e7", "2020-06-09 00:00:00", "1"), helios_row("1", "2020-06-09 00:00:00", "x"),
        std::string("7,u1\n")})
    text += broken;
  for (int i = 0; i < 20; ++i) text += "\"\n";
  const ImportedJobs made = import_texts(Form::helios, {text});
  EXPECT_EQ(made.report.rows, 3016u);
  EXPECT_EQ(made.report.broken, 25u);
  EXPECT_EQ(made.report.jobs, 2991u);
  ASSERT_EQ(made.report.first_broken.size(), 20u);
  EXPECT_EQ(made.report.first_broken[0],
            "F0:2993: gpu_num = '-1' must be a number from 0 to 1e+06");
  EXPECT_EQ(made.report.first_broken[1],
            "F0:2994: submit_time = '2020-06-09' must be as 2020-06-09 18:41:01");
  EXPECT_EQ(made.report.first_broken[3],
            "F0:2996: duration = 'x' must be a number from 0 to 1e+09");
  EXPECT_EQ(made.report.first_broken[4], "F0:2997: there are 2 fields, the first line has 12");
}

TEST(ImportJobs, ABrokenJobOfPhillyIsOneRow) {
  std::string text = "[";
  const std::string good = philly_attempt("07 00:00:00", "07 00:00:30", 2);
  for (int i = 10; i < 60; ++i)
    for (int j = 10; j < 20; ++j)
      text +=
          philly_job("2017-10-07 00:" + std::to_string(j) + ":" + std::to_string(i), good) + ",\n";
  const std::string broken =
      philly_job("2017-10-07 00:00", good) + ",\n{\"attempts\": []},\n[1,2],\n" +
      philly_job("2017-10-07 00:00:00", philly_attempt("07 00:01:00", "07 00:00:30", 2)) +
      ",\n{\"submitted_time\": \"2017-10-07 00:00:00\"}]";
  const ImportedJobs made = import_texts(Form::philly, {text + broken});
  EXPECT_EQ(made.report.rows, 505u);
  EXPECT_EQ(made.report.first_broken,
            (std::vector<std::string>{
                "F0:501: submitted_time = '2017-10-07 00:00' must be as 2017-10-07 01:11:39",
                "F0:502: must have a submitted_time", "F0:503: expected an object",
                "F0:504: end_time is before start_time", "F0:505: must have attempts"}));
}

TEST(ImportJobs, WhatCannotBeUsedIsRefused) {
  EXPECT_EQ(import_error(Form::philly, {"{}"}), "F0:1: must be a JSON array");
  EXPECT_EQ(import_error(Form::philly, {"[]"}), "no two jobs at different times are left");
  EXPECT_EQ(import_error(Form::philly, {"[1]"}),
            "1 of 1 rows are broken; at most 1 % may be\nF0:1: expected an object");
  EXPECT_EQ(import_error(Form::helios, {""}), "F0: it is empty");
  EXPECT_EQ(import_error(Form::helios, {kPodHeader}), "F0:1: must name the column submit_time");
  EXPECT_EQ(import_error(Form::alibaba2023, {kHeliosHeader}),
            "F0:1: must name the column creation_time");
  const std::string task = pai_task("j", "1", "1", "2", "100"), job = pai_job("j", "1");
  EXPECT_EQ(import_error(Form::alibaba2020, {task}), "no FILE is a pai_job_table");
  EXPECT_EQ(import_error(Form::alibaba2020, {job}), "no FILE is a pai_task_table");
  EXPECT_EQ(import_error(Form::alibaba2020, {job, kPodHeader}),
            "F1:1: must have the 6 columns of pai_job_table or the 10 of pai_task_table");
  EXPECT_EQ(import_error(Form::alibaba2020, {std::string("t.csv\0\0", 7) + job, task}),
            "F0: is an archive; unpack its table first");
  EXPECT_EQ(import_error(Form::alibaba2020, {job, pai_task("", "1", "1", "2", "100")}),
            "1 of 2 rows are broken; at most 1 % may be\n"
            "F1:1: job_name must have 1 to 64 characters");
  EXPECT_EQ(import_error(Form::alibaba2020, {job, pai_task("j", "1e6", "1", "2", "200")}),
            "1 of 2 rows are broken; at most 1 % may be\n"
            "F0:1: asks for 2e+06 GPUs; at most 1e6 are allowed");
  const std::string pods =
      kPodHeader + pod_row("1", "0", "2000000001", "1") + pod_row("1", "5", "6", "5");
  EXPECT_EQ(import_error(Form::alibaba2023, {pods}),
            "1 of 2 rows are broken; at most 1 % may be\n"
            "F0:2: ran for 2e+09 s; at most 1e9 s are allowed");
}

TEST(ImportJobs, MakeTracesThatEnvironmentsRead) {
  const ImportedJobs made = import_texts(
      Form::alibaba2023, {kPodHeader + pod_row("8", "12345678", "12345679.25", "12345678") +
                          pod_row("2", "12345680.5", "12999999", "12345690")});
  const auto trace = dl_cluster::JobTrace::parse(made.text, "T");
  using Job = dl_cluster::JobTrace::Job;
  EXPECT_EQ((std::vector<Job>(trace.jobs().begin(), trace.jobs().end())),
            (std::vector<Job>{{0, 1.25, 8}, {2.5, 654309, 2}}));
}

}  // namespace import_jobs_test
}  // namespace park::test
