// Files of arrivals, and everything that a configuration or a file can have wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/dag_scheduling.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace arrivals_test {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

class DagArrivalsTest : public ::testing::Test {
 protected:
  /// The lines of the error that a configuration gives; none where it is accepted.
  std::vector<std::string> errors(const std::string& fields, Errc code) const {
    try {
      const Game g(fields + ",workload=" + workload_.path());
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      return lines_of(e.what());
    }
    return {};
  }
  std::vector<std::string> file_errors(const std::string& text) const {
    arrivals_.write(text);
    return errors("arrival=file,arrivals=" + arrivals_.path(), Errc::bad_file);
  }
  std::string at(int line, const std::string& what) const {
    return "arrivals: " + arrivals_.path() + ":" + std::to_string(line) + ": " + what;
  }

  const WorkloadFile workload_{{{"2g:1", {constant_stage(1, 1000)}},
                                {"2g:12", {constant_stage(1, 2000)}},
                                {"with, comma", {constant_stage(1, 3000)}}}};
  const TemporaryFile arrivals_{"time_s,job\n0,2g:1\n"};
};

TEST_F(DagArrivalsTest, DataFilesAreTheWorkloadAndTheArrivals) {
  using dag_scheduling::DagScheduling;
  using Files = std::vector<std::filesystem::path>;
  const Files bundled = DagScheduling::data_files({});
  ASSERT_EQ(bundled.size(), 1u);
  EXPECT_TRUE(std::filesystem::is_regular_file(bundled[0])) << bundled[0];
  dag_scheduling::DagSchedulingConfig config;
  config.arrival = "file";
  config.arrivals = arrivals_.path();
  config.workload = workload_.path();
  EXPECT_EQ(DagScheduling::data_files(config), (Files{workload_.path(), arrivals_.path()}));
}

TEST_F(DagArrivalsTest, FileGivesTimesAndJobsInItsOrder) {
  arrivals_.write("time_s,job\r\n0.25,2g:12\r\n0.25,2g:1\r\n7,with, comma\r\n");
  Game g("executors=1,moving_delay_s=0,warmup_delay_s=0,arrival=file,arrivals=" + arrivals_.path() +
         ",workload=" + workload_.path());
  g.reset();
  EXPECT_EQ(g.now(), 0.25);
  ASSERT_EQ(g.count("jobs"), 2u);
  EXPECT_EQ(g.f32("job.work_s", 0), 2);
  EXPECT_EQ(g.f32("job.work_s", 1), 1);
  EXPECT_EQ(g.f64("job.arrival_s", 1), 0.25);
  EXPECT_EQ(g.spec().observation.groups[2].capacity, 3);
  while (!g.over()) g.choose_first();
  EXPECT_EQ(g.f64("cluster.last_arrival_s"), 7);
  EXPECT_EQ(g.now(), 10);
  EXPECT_EQ(g.metric("makespan_s"), 9.75);
  EXPECT_NEAR(g.metric("utilisation"), 6 / 9.75, 1e-12);
}

TEST_F(DagArrivalsTest, FileIsReadAgainWhenItHasChanged) {
  const std::string fields =
      "arrival=file,arrivals=" + arrivals_.path() + ",workload=" + workload_.path();
  arrivals_.write("time_s,job\n0,2g:1\n");
  const Game before(fields);
  arrivals_.write("time_s,job\n0,2g:1\n0,2g:1\n");
  const Game after(fields);
  EXPECT_EQ(before.spec().observation.groups[2].capacity, 1);
  EXPECT_EQ(after.spec().observation.groups[2].capacity, 2);
}

TEST_F(DagArrivalsTest, FirstDecisionComesBeforeTheHorizon) {
  arrivals_.write("time_s,job\n100,2g:1\n");
  Game g("executors=1,arrival=file,arrivals=" + arrivals_.path() + ",workload=" + workload_.path());
  g.reset({.horizon_s = 50});
  EXPECT_EQ(g.now(), 100);
  g.choose_first();
  EXPECT_EQ(g.last().end, End::truncated);
  EXPECT_EQ(g.last().elapsed_s, 0);
}

TEST_F(DagArrivalsTest, BadFiles) {
  const std::string head = "time_s,job\n";
  EXPECT_EQ(file_errors(""), std::vector{at(1, "the first line must be 'time_s,job'")});
  EXPECT_EQ(file_errors("time,job\n0,2g:1\n"),
            std::vector{at(1, "the first line must be 'time_s,job'")});
  EXPECT_EQ(file_errors(head), std::vector{at(2, "there is no job")});
  EXPECT_EQ(file_errors(head + "0,2g:1\n\n1,2g:1\n"),
            std::vector{at(3, "must be a time, a comma and a job's name")});
  for (const char* bad : {"-1", "nan", "inf", "1e10", "x", "", "1 ", "+1"})
    EXPECT_EQ(
        file_errors(head + bad + ",2g:1\n"),
        std::vector{at(2, std::string("time_s = '") + bad + "' is not a number from 0 to 1e9")});
  EXPECT_EQ(file_errors(head + "5,2g:1\n4,2g:1\n"),
            std::vector{at(3, "time_s = 4 is before the line above")});
  EXPECT_EQ(file_errors(head + "0,2g:2\n"),
            std::vector{at(2,
                           "job '2g:2' is not in the workload 'test'; the nearest name is "
                           "'2g:1'")});
  EXPECT_EQ(file_errors(head + "-1,zzzzzz\n3,2g:1\n2,2g:1\n"),
            (std::vector{at(2, "time_s = '-1' is not a number from 0 to 1e9"),
                         at(2, "job 'zzzzzz' is not in the workload 'test'"),
                         at(4, "time_s = 2 is before the line above")}));
}

TEST_F(DagArrivalsTest, LongListOfFaultsIsCut) {
  std::string text = "time_s,job\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  EXPECT_EQ(file_errors(text).size(), 10u);
}

TEST_F(DagArrivalsTest, MissingFiles) {
  const auto lines = errors("arrival=file,arrivals=/no/such/file.csv", Errc::io);
  EXPECT_EQ(lines, std::vector<std::string>{"arrivals: cannot read '/no/such/file.csv'"});
  EXPECT_EQ(errors("arrival=file,arrivals=/tmp", Errc::io),
            std::vector<std::string>{"arrivals: cannot read '/tmp'"});
  EXPECT_THROW(Game("workload=/no/such/workload.park"), Error);
}

TEST_F(DagArrivalsTest, BadConfigurations) {
  const auto config_errors = [&](const std::string& fields) {
    return errors(fields, Errc::invalid_config);
  };
  arrivals_.write("time_s,job\n0,2g:1\n");
  EXPECT_EQ(config_errors("arrival=file"),
            std::vector<std::string>{"arrivals must name a file where arrival = file"});
  EXPECT_EQ(config_errors("arrivals=" + arrivals_.path()),
            std::vector<std::string>{"arrivals is allowed only where arrival = file"});
  EXPECT_EQ(config_errors("arrival=file,jobs=7,arrivals=" + arrivals_.path()),
            std::vector<std::string>{
                "jobs is not allowed where arrival = file: the file of arrivals lists the jobs"});
  EXPECT_EQ(
      config_errors("arrival=poisson,jobs=1000000,interval_s=2000"),
      std::vector<std::string>{"interval_s = 2000 times jobs = 1000000 must not exceed 1e9 s"});
  EXPECT_EQ(config_errors("executors=0,jobs=0,semantics=fast").size(), 3u);
  EXPECT_EQ(config_errors("classes=[class(share=0.5),class(share=0.4)]"),
            std::vector<std::string>{"classes: the shares add up to 0.9 and must add up to 1"});
  EXPECT_EQ(config_errors("executors=3,classes=[class(share=0.9),class(share=0.1)]"),
            std::vector<std::string>{"classes: class 1 gets none of the executors = 3"});
}

TEST_F(DagArrivalsTest, StageThatFitsNoClass) {
  auto big = constant_stage(2, 100);
  big.memory = 4;
  big.cpus = 2;
  const WorkloadFile workload(
      {{"ok", {constant_stage(1, 100)}}, {"big", {constant_stage(1, 100), big}}});
  try {
    const Game g("workload=" + workload.path());
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_STREQ(e.what(),
                 "classes: stage 1 of job 'big' needs cpus=2, memory=4 per task, which no class of "
                 "executors has");
  }
  EXPECT_NO_THROW(Game("classes=[class(cpus=2,memory=4)],workload=" + workload.path()));
}

}  // namespace arrivals_test
}  // namespace park::test
