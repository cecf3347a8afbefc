// What an event log becomes as a timeline.
#include "park/envs/dag_scheduling/workload/spark_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"

namespace park::test {
namespace spark_timeline_test {

/// Checks what a sink may rely on, and keeps what it is told.
class Recording final : public EventSink {
 public:
  struct Span {
    std::string lane, what;
    double start_s, end_s, job, stage;
  };
  struct Point {
    double time_s, job;
    std::string what;
  };
  std::vector<std::string> lanes, jobs;
  std::vector<std::size_t> stages;                  // by job
  std::vector<std::vector<std::uint16_t>> parents;  // of all stages
  std::vector<Span> spans;
  std::vector<Point> points;
  double jobs_in_system = 0, mean_jct_s = 0;

  void begin(const Episode&) override {}
  void lane(std::string_view name) override { lanes.emplace_back(name); }
  void job(std::uint64_t number, std::string_view name,
           std::span<const EventStage> described) override {
    EXPECT_EQ(number, jobs.size());
    jobs.emplace_back(name);
    stages.push_back(described.size());
    for (std::size_t i = 0; i < described.size(); ++i) {
      for (const std::uint16_t parent : described[i].parents) EXPECT_LT(parent, i);
      parents.emplace_back(described[i].parents.begin(), described[i].parents.end());
    }
  }
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg> args) override {
    EXPECT_NE(std::ranges::find(lanes, lane), lanes.end()) << lane;
    EXPECT_LE(start_s, end_s);
    double& last_s = last_s_.try_emplace(std::string(lane), 0).first->second;
    EXPECT_LE(last_s, start_s) << lane;
    last_s = end_s;
    EXPECT_LT(args[1].value,
              static_cast<double>(stages.at(static_cast<std::size_t>(args[0].value))));
    spans.push_back(
        {std::string(lane), std::string(what), start_s, end_s, args[0].value, args[1].value});
  }
  void point(std::string_view, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    points.push_back({time_s, args[0].value, std::string(what)});
  }
  void value(std::string_view, std::string_view series, double time_s, double value) override {
    EXPECT_GE(time_s, series_s_[std::string(series)]);
    series_s_[std::string(series)] = time_s;
    (series == "jobs in system" ? jobs_in_system : mean_jct_s) = value;
  }

 private:
  std::map<std::string, double> last_s_, series_s_;
};

Recording timeline_of(const std::string& path) {
  Recording to;
  dag_scheduling::workload::spark_timeline(dag_scheduling::workload::spark_log_at(path), {}, to);
  return to;
}

Recording timeline_of(const SyntheticLog& log) {
  const ScratchFolder folder("timeline");
  write_text(folder.file("log"), log.text());
  return timeline_of(folder.file("log"));
}

TEST(SparkTimeline, ShowsTasksOnSlotsAndJobsWithTheirStages) {
  SyntheticLog log;
  log.executor("0", 2).executor("1");
  log.named_job(0, "q", "7", {{0, 10, 2, {}}, {1, 11, 1, {0}}});
  log.task({.stage = 0, .index = 0, .executor = "0", .launch = 1005, .finish = 2005});
  log.task({.stage = 0, .index = 1, .executor = "0", .launch = 1005, .finish = 3005});
  log.task({.stage = 1, .index = 0, .executor = "0", .launch = 3004, .finish = 4005});
  log.job_end(0);
  const Recording got = timeline_of(log);
  EXPECT_EQ(got.lanes, (std::vector<std::string>{"executor 0", "executor 1", "executor 2"}));
  EXPECT_EQ(got.jobs, std::vector<std::string>{"q#7"});
  EXPECT_EQ(got.stages, std::vector<std::size_t>{2});
  EXPECT_EQ(got.parents, (std::vector<std::vector<std::uint16_t>>{{}, {0}}));
  ASSERT_EQ(got.spans.size(), 3u);
  EXPECT_EQ(got.spans[0].what, "q#7/0");
  EXPECT_EQ(got.spans[0].start_s, 1);
  EXPECT_EQ(got.spans[0].end_s, 2);
  ASSERT_EQ(got.points.size(), 2u);
  EXPECT_EQ(got.points[0].what, "arrival");
  EXPECT_EQ(got.points[1].what, "completion");
  EXPECT_EQ(got.jobs_in_system, 0);
}

TEST(SparkTimeline, AJobLastsFromItsQuerysBeginToItsEnd) {
  SyntheticLog log;
  log.executor("0").sql_start(3, 3);
  const std::string in_query = R"("spark.sql.execution.id":"3","spark.sql.execution.root.id":"3",)";
  log.job(0, in_query, {{0, 10, 1, {}}});
  log.task({.stage = 0, .index = 0, .executor = "0", .launch = 5, .finish = 8}).job_end(0);
  // The first stage comes back under another id and is skipped.
  log.job(1, in_query, {{1, 10, 1, {}}, {2, 12, 1, {1}}});
  log.task({.stage = 2, .index = 0, .executor = "0", .launch = 9, .finish = 12}).job_end(1);
  log.sql_end(3);
  const Recording got = timeline_of(log);
  EXPECT_EQ(got.jobs, std::vector<std::string>{"query 3"});
  EXPECT_EQ(got.stages, std::vector<std::size_t>{2}) << "those that ran";
  EXPECT_EQ(got.parents, (std::vector<std::vector<std::uint16_t>>{{}, {0}}));
  EXPECT_EQ(got.points.size(), 2u);
  EXPECT_EQ(got.jobs_in_system, 0);
}

TEST(SparkTimeline, ANameThatComesAgainIsAnotherJob) {
  SyntheticLog log;
  log.executor("0");
  for (int i = 0; i < 2; ++i) {
    log.named_job(i, "q", "", {{i, 10 + i, 1, {}}});
    log.task({.stage = i, .index = 0, .executor = "0", .launch = 5 + i, .finish = 6 + i})
        .job_end(i);
  }
  EXPECT_EQ(timeline_of(log).jobs, (std::vector<std::string>{"q", "q"}));
}

TEST(SparkTimeline, ARequestOfSparkConnectHasTheNameOfItsTag) {
  SyntheticLog log;
  log.executor("0").job(
      0,
      R"("spark.job.tags":"SparkConnect_OperationTag_User_u_Session_s_Operation_o)"
      R"(,SparkConnect_SessionTag_User_u_Session_s_Tag_report",)",
      {{0, 10, 1, {}}});
  log.task({.stage = 0, .index = 0, .executor = "0", .launch = 5, .finish = 6}).job_end(0);
  EXPECT_EQ(timeline_of(log).jobs, std::vector<std::string>{"report#o"});
}

TEST(SparkTimeline, BeginsWithTheFirstJobAfterWhatSetsUp) {
  SyntheticLog log;
  log.executor("0").job(0, R"("park.job":"warmup","park.setup":"true",)", {{0, 10, 1, {}}});
  log.task({.stage = 0, .index = 0, .executor = "0", .launch = 1000, .finish = 3000}).job_end(0);
  log.submission = 5000;
  log.job(1, R"("park.job":"q","park.setup":"false",)", {{1, 11, 1, {}}});
  log.task({.stage = 1, .index = 0, .executor = "0", .launch = 5500, .finish = 6000}).job_end(1);
  const Recording got = timeline_of(log);
  EXPECT_EQ(got.jobs, std::vector<std::string>{"q"});
  ASSERT_EQ(got.spans.size(), 1u);
  EXPECT_EQ(got.spans[0].start_s, 0.5);
  ASSERT_EQ(got.points.size(), 2u);
  EXPECT_EQ(got.points[0].time_s, 0);
}

TEST(SparkTimeline, ReadsWhatSparkWrote) {
  for (const std::string name :
       {"3.5-sql", "3.5-rdd", "3.5-cluster", "4.1-classic", "4.1-cluster"}) {
    SCOPED_TRACE(name);
    const std::string folder = std::string(PARK_SOURCE_DIR) + "/tests/data/spark/" + name;
    const Recording got =
        timeline_of((*std::filesystem::directory_iterator(folder)).path().string());
    EXPECT_GE(got.jobs.size(), 2u);
    EXPECT_GE(got.spans.size(), 4u);
    EXPECT_GE(got.points.size(), got.jobs.size());
  }
}

}  // namespace spark_timeline_test
}  // namespace park::test
