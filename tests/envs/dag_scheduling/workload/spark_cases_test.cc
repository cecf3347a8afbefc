// What the importer does with everything that does not go straight in an application: one case of
// the table in docs/workload-format.md behind another.

#include <gtest/gtest.h>

#include <algorithm>

#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"

namespace park::test {
namespace spark_cases_test {

using dag_scheduling::JobProfile;
using dag_scheduling::Wave;
using dag_scheduling::Workload;
using dag_scheduling::workload::SparkImportReport;
using Cells = std::vector<dag_scheduling::StageProfile::Cell>;

struct Imported {
  SparkImportReport report;
  std::vector<JobProfile> jobs;

  explicit Imported(const SyntheticLog& log) {
    const Workload workload = import_texts({log.text()}, {}, &report);
    for (const Workload::Job& job : workload.jobs())
      jobs.push_back(dag_scheduling::job_profile(workload, job));
  }
  static std::uint64_t count(const std::vector<dag_scheduling::workload::SparkCount>& counts,
                             const std::string& what, const std::string& why) {
    for (const dag_scheduling::workload::SparkCount& one : counts) {
      if (one.what == what && one.why == why) return one.count;
    }
    return 0;
  }
  [[nodiscard]] std::uint64_t dropped(const std::string& what, const std::string& why) const {
    return count(report.dropped, what, why);
  }
  [[nodiscard]] std::uint64_t remarked(const std::string& what, const std::string& why) const {
    return count(report.remarks, what, why);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const JobProfile& job : jobs) all.push_back(job.name);
    return all;
  }
};

/// A log with one finished job of its own in it, so that something is left to import.
SyntheticLog with_one_job() {
  SyntheticLog log;
  log.executor("x").executor("y").job(900, "", {{900, 900, 1, {}}});
  return log.tasks(900, 1, "x", 1, 10).job_end(900);
}
const std::string kOne = "app-1/job:900";

TEST(SparkCases, ACopyThatWonStandsForItsTask) {
  SyntheticLog log;
  log.executor("x").executor("y").named_job(0, "q", "1", {{0, 3, 2, {}}});
  log.task({0, 0, "x", 0, 300, "TaskKilled"}).task({0, 1, "y", 0, 50});
  log.task({0, 0, "y", 100, 180, "Success", true}).job_end(0);
  const Imported got(log);
  EXPECT_EQ(got.jobs[0].stages[0].tasks, 2);
  EXPECT_EQ(got.jobs[0].stages[0].cells, (Cells{{Wave::fresh, 2, {50}}, {Wave::rest, 2, {80}}}));
  EXPECT_EQ(got.dropped("task", "killed"), 1U);
  EXPECT_EQ(got.dropped("stage", "ran only some of its tasks, and has those"), 0U);
}

TEST(SparkCases, ACopyThatLostIsDropped) {
  SyntheticLog log;
  log.executor("x").executor("y").named_job(0, "q", "1", {{0, 3, 1, {}}});
  log.task({0, 0, "x", 0, 300}).task({0, 0, "y", 100, 310, "TaskKilled", true}).job_end(0);
  const Imported got(log);
  EXPECT_EQ(got.jobs[0].stages[0].cells, (Cells{{Wave::fresh, 2, {300}}}));
  EXPECT_EQ(got.dropped("task", "killed: the copy was not needed"), 1U);
}

TEST(SparkCases, ALostOutputComputedAgainIsDropped) {
  SyntheticLog log;
  log.executor("x").executor("y").named_job(0, "q", "1", {{0, 3, 3, {}}, {1, 4, 1, {0}}});
  log.tasks(0, 2, "x", 0, 100).task({0, 2, "y", 0, 110});
  // The fetch fails, the executor is gone; the first stage runs again for what it lost. In its
  // second attempt the task of index 0 is partition 1.
  log.task({1, 0, "y", 300, 310, "FetchFailed"}).executor_removed("x", 320);
  log.task({0, 0, "y", 400, 470, "Success", false, 5, 0, false, 0});
  log.task({0, 1, "y", 470, 500, "Success", false, 5, 0, false, 1});
  log.task({1, 0, "y", 600, 640}).job_end(0);
  const Imported got(log);
  ASSERT_EQ(got.jobs[0].stages.size(), 2U);
  EXPECT_EQ(got.jobs[0].stages[0].tasks, 3);
  EXPECT_EQ(got.jobs[0].stages[0].cells,
            (Cells{{Wave::fresh, 2, {100, 110}}, {Wave::rest, 2, {100}}}));
  EXPECT_EQ(got.jobs[0].stages[0].run_s, 0) << "that of what was kept";
  EXPECT_EQ(got.jobs[0].stages[1].cells, (Cells{{Wave::rest, 1, {40}}}));
  EXPECT_EQ(got.dropped("task", "ran again after it had succeeded"), 2U);
  EXPECT_EQ(got.dropped("task", "failed: FetchFailed"), 1U);
}

TEST(SparkCases, PartitionsTellTasksApartAndNotIndices) {
  SyntheticLog log;  // a second attempt runs what the first did not: its indices begin at 0 again
  log.executor("x").named_job(0, "q", "1", {{0, 3, 2, {}}});
  log.task({0, 0, "x", 0, 10, "Success", false, 0, 0, false, 0});
  log.task({0, 0, "x", 20, 40, "Success", false, 0, 0, false, 1}).job_end(0);
  EXPECT_EQ(Imported(log).jobs[0].stages[0].tasks, 2);
}

TEST(SparkCases, AResubmittedTaskKeepsItsFirstSample) {
  SyntheticLog log;
  log.executor("x").executor("y").named_job(0, "q", "1", {{0, 3, 2, {}}, {1, 4, 1, {0}}});
  log.task({0, 0, "x", 0, 100});
  log.task({0, 0, "x", 0, 100, "Resubmitted", false, 0, 0, false, -1, 0});  // the same id
  log.executor_removed("x", 150);
  log.task({0, 1, "y", 0, 200}).task({0, 0, "y", 200, 280}).task({1, 0, "y", 300, 310});
  log.job_end(0);
  const Imported got(log);
  EXPECT_EQ(got.jobs[0].stages[0].cells, (Cells{{Wave::fresh, 2, {100, 200}}}));
  EXPECT_EQ(got.dropped("task", "ran again after it had succeeded"), 1U);
  EXPECT_EQ(got.jobs[0].stages[1].cells, (Cells{{Wave::first, 1, {10}}}));
}

TEST(SparkCases, FailedAndCancelledJobsAreToldApart) {
  SyntheticLog log = with_one_job();
  log.named_job(0, "failed", "1", {{0, 1, 1, {}}}).tasks(0, 1, "x", 100, 10);
  log.job_end(0, false, "Job aborted due to stage failure: Task 0 ...");
  log.named_job(1, "cancelled", "1", {{1, 2, 1, {}}}).tasks(1, 1, "x", 200, 10);
  log.job_end(1, false, "Job 1 cancelled part of cancelled job group g");
  log.named_job(2, "cancelled4", "1", {{2, 2, 1, {}}}).tasks(2, 1, "x", 300, 10);
  log.job_end(2, false, "[SPARK_JOB_CANCELLED] Job 2 cancelled  SQLSTATE: HYKM1");
  const Imported got(log);
  EXPECT_EQ(got.names(), std::vector<std::string>{kOne});
  EXPECT_EQ(got.dropped("job", "a Spark job of it failed"), 1U);
  EXPECT_EQ(got.dropped("job", "a Spark job of it was cancelled"), 2U);
}

TEST(SparkCases, OneFailedSparkJobLeavesOutItsWholeGroup) {
  SyntheticLog log = with_one_job();
  const std::string group = R"("spark.jobGroup.id":"g",)";
  log.job(0, group, {{0, 1, 1, {}}}).tasks(0, 1, "x", 100, 10).job_end(0);
  log.job(1, group, {{1, 2, 1, {}}}).tasks(1, 1, "x", 200, 10).job_end(1, false);
  const Imported got(log);
  EXPECT_EQ(got.names(), std::vector<std::string>{kOne});
  EXPECT_EQ(got.dropped("job", "a Spark job of it failed"), 1U);
}

// As Names of the plug-in has it: `--durations` matches by these names.
TEST(SparkCases, RequestsOfSparkConnectAreNamedByTheTagOfTheirUser) {
  const auto operation = [](const std::string& id) {
    return "SparkConnect_OperationTag_User_ann_Session_s-1_Operation_" + id;
  };
  const std::string tag = "SparkConnect_SessionTag_User_ann_Session_s-1_Tag_daily report";
  const auto tagged = [](const std::string& tags, const std::string& more = "") {
    return R"("spark.job.tags":")" + tags + R"(","spark.jobGroup.id":"g",)" + more;
  };
  SyntheticLog log = with_one_job();
  const auto add = [&](int id, const std::string& properties) {
    log.job(id, properties, {{id, id, 1, {}}}).tasks(id, 1, "x", 100 * id, 10).job_end(id);
  };
  add(1, tagged(tag + "," + operation("o-1")));
  add(2, tagged(operation("o-2") + "," + tag));  // Spark keeps them in no order
  log.sql_start(7, 7);
  add(3, tagged(operation("o-3"), R"("spark.sql.execution.root.id":"7",)"));
  log.sql_end(7);
  add(4, tagged(operation("o-4") + "," + tag, R"("park.job":"mine",)"));
  add(5, tagged("a tag of another kind"));
  const Imported got(log);
  EXPECT_EQ(got.names(),
            (std::vector<std::string>{kOne, "daily report", "session s-1 operation o-3", "mine",
                                      "app-1/group:g"}));
  EXPECT_EQ(got.report.executions, 6U) << "two of them of one job";
}

TEST(SparkCases, AQueryThatCancelsWhatItDoesNotNeedCounts) {
  SyntheticLog log;
  log.executor("x").sql_start(5, 5).sql_job(0, 5, {{0, 1, 2, {}}});
  log.sql_job(1, 5, {{1, 2, 1, {}}, {2, 3, 4, {1}}}).tasks(0, 2, "x", 0, 10).job_end(0);
  log.tasks(1, 1, "x", 50, 10).task({2, 0, "x", 60, 70});
  log.job_end(1, false, "Job 1 cancelled The corresponding broadcast query has failed.");
  log.sql_job(2, 5, {{3, 2, 1, {}}, {4, 9, 1, {3}}}).tasks(4, 1, "x", 90, 10).job_end(2);
  const Imported got(log.sql_end(5));
  ASSERT_EQ(got.jobs.size(), 1U);
  ASSERT_EQ(got.jobs[0].stages.size(), 3U) << "one stage of the cancelled Spark job was over";
  EXPECT_EQ(got.jobs[0].stages[2].parents, std::vector<std::uint16_t>{1});
  EXPECT_EQ(got.remarked("Spark job",
                         "failed or was cancelled in a query that succeeded; stages that ran to "
                         "their end are kept"),
            1U);
}

TEST(SparkCases, ACancellationBehindTheEndOfItsQueryCounts) {
  SyntheticLog log;
  log.executor("x").sql_start(5, 5).sql_job(0, 5, {{0, 1, 2, {}}}).sql_job(1, 5, {{1, 2, 1, {}}});
  log.tasks(0, 2, "x", 0, 10).job_end(0).sql_end(5).job_end(1, false, "Job 1 cancelled ");
  const Imported got(log);
  ASSERT_EQ(got.jobs.size(), 1U);
  EXPECT_EQ(got.jobs[0].stages.size(), 1U);
}

TEST(SparkCases, QueriesThatFailOrHaveNoEndAreLeftOut) {
  SyntheticLog log = with_one_job();
  const auto query = [&](int id) {
    log.sql_start(id, id).sql_job(id, id, {{id, id, 1, {}}}).tasks(id, 1, "x", 100 * id, 10);
    log.job_end(id);
  };
  query(1);
  log.sql_end(1, "it broke behind its Spark job");
  query(2);  // no end
  query(3);
  log.sql_end(3, "null");  // before 3.4
  query(4);
  log.sql_job(44, 4, {{44, 44, 1, {}}}).job_end(44, false).sql_end(4, "null");
  log.sql_job(50, 7, {{50, 50, 1, {}}}).tasks(50, 1, "x", 9000, 10).job_end(50).sql_end(7);
  const Imported got(log);
  EXPECT_EQ(got.names(), (std::vector<std::string>{kOne, "app-1/sql:3"}));
  EXPECT_EQ(got.dropped("job", "its SQL query failed"), 1U);
  EXPECT_EQ(got.dropped("job", "its end is not in the log"), 1U);
  EXPECT_EQ(got.dropped("job", "a Spark job of it failed"), 1U) << "success must be said";
  EXPECT_EQ(got.dropped("job", "its beginning is not in the log"), 1U);
}

TEST(SparkCases, QueriesWithinAQueryAreParts) {
  SyntheticLog log;
  log.executor("x").sql_start(1, 1).sql_start(2, 1);
  log.job(0, R"("spark.sql.execution.id":"2","spark.sql.execution.root.id":"1",)", {{0, 1, 1, {}}});
  log.tasks(0, 1, "x", 0, 10).job_end(0).sql_end(2);
  log.sql_job(1, 1, {{1, 1, 1, {}}, {2, 2, 1, {1}}}).tasks(2, 1, "x", 20, 10).job_end(1);
  const Imported got(log.sql_end(1));
  EXPECT_EQ(got.names(), std::vector<std::string>{"app-1/sql:1"});
  EXPECT_EQ(got.jobs[0].stages.size(), 2U);
}

TEST(SparkCases, TasksThatEndBehindTheirJobAreDropped) {
  SyntheticLog log;
  log.executor("x", 2).named_job(0, "q", "1", {{0, 3, 1, {}}});
  log.task({0, 0, "x", 0, 50}).task({0, 0, "x", 10, 0, "Success", true, 0, 0, true});
  log.job_end(0).named_job(1, "q", "2", {{1, 3, 1, {}}}).tasks(1, 1, "x", 60, 5).job_end(1);
  const Imported got(log);
  EXPECT_EQ(got.dropped("task", "was running when its job was over, its end is not in the log"),
            1U);
  EXPECT_EQ(got.jobs[0].stages[0].cells[0].durations_ms, (std::vector<std::uint32_t>{50, 5}));
}

TEST(SparkCases, TasksOfUnknownStagesAreDropped) {
  SyntheticLog log = with_one_job();
  log.task({950, 0, "x", 100, 110}).task({3, 0, "x", 120, 130});
  const Imported got(log);
  EXPECT_EQ(got.dropped("task", "no job in the log names its stage"), 1U);
  EXPECT_EQ(got.dropped("task", "ended after its job"), 1U);
}

TEST(SparkCases, ASharedStageCountsForTheFirst) {
  SyntheticLog log;
  log.executor("x").named_job(0, "a", "1", {{0, 1, 1, {}}, {1, 2, 1, {0}}});
  log.named_job(1, "b", "1", {{0, 1, 1, {}}, {2, 3, 1, {0}}});
  log.tasks(0, 1, "x", 0, 10).tasks(1, 1, "x", 10, 10).tasks(2, 1, "x", 20, 10);
  log.job_end(0).job_end(1);
  const Imported got(log);
  EXPECT_EQ(got.jobs[0].stages.size(), 2U);
  EXPECT_EQ(got.jobs[1].stages.size(), 1U);
  EXPECT_EQ(got.dropped("edge", "from a stage that did not run in its job"), 1U);
}

TEST(SparkCases, CpusComeFromTheSettingsOrTheProfile) {
  SyntheticLog log;
  log.add(R"({"Event":"SparkListenerEnvironmentUpdate","JVM Information":{},)"
          R"("Spark Properties":{"spark.task.cpus":"2"},"Classpath Entries":{}})");
  log.executor("x", 4).named_job(0, "q", "1", {{0, 3, 2, {}}});
  log.task({0, 0, "x", 0, 100}).task({0, 1, "x", 0, 90}).job_end(0);
  const Imported by_settings(log);
  EXPECT_EQ(by_settings.jobs[0].stages[0].cpus, 2);
  EXPECT_EQ(by_settings.jobs[0].stages[0].cells[0].executors, 2);

  SyntheticLog other;
  other.add(R"({"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":0,)"
            R"("Executor Resource Requests":{"cores":{"Resource Name":"cores","Amount":4}},)"
            R"("Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":4.0}}})");
  other.executor("x", 4).named_job(0, "q", "1", {{0, 3, 1, {}}}).tasks(0, 1, "x", 0, 9).job_end(0);
  const Imported by_profile(other);
  EXPECT_EQ(by_profile.jobs[0].stages[0].cpus, 4);
  EXPECT_EQ(by_profile.jobs[0].stages[0].cells[0].executors, 1);
}

TEST(SparkCases, AttemptsOfAnApplicationHaveNamesOfTheirOwn) {
  SyntheticLog log;
  log.add(R"({"Event":"SparkListenerApplicationStart","App ID":"app-1","App Attempt ID":"2"})");
  log.executor("x").job(0, "", {{0, 3, 1, {}}}).tasks(0, 1, "x", 0, 9).job_end(0);
  EXPECT_EQ(Imported(log).names(), std::vector<std::string>{"app-1_2/job:0"});
}

TEST(SparkCases, NamesAreMadeFit) {
  SyntheticLog log;
  log.executor("x");
  const auto job = [&](int id, const std::string& group) {
    log.job(id, R"("spark.jobGroup.id":")" + group + "\",", {{id, id, 1, {}}});
    log.tasks(id, 1, "x", 100 * id, 10).job_end(id);
  };
  const std::string same(300, 'n');
  job(1, R"(a\nb\u0007)");
  job(2, same + "1");
  job(3, same + "2");
  const std::vector<std::string> names = Imported(log).names();
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0], "app-1/group:a_b_");
  EXPECT_TRUE(names[1].starts_with("app-1/group:nnn") && names[1].size() <= 256) << names[1];
  EXPECT_NE(names[1], names[2]);
}

TEST(SparkCases, AnOutputLostBetweenSparkJobsIsComputedByOneMoreStage) {
  SyntheticLog log;
  log.executor("x").named_job(0, "q", "1", {{0, 10, 1, {}}, {1, 20, 1, {0}}});
  log.tasks(0, 1, "x", 0, 10).tasks(1, 1, "x", 20, 5).job_end(0);
  log.named_job(1, "q", "1", {{2, 10, 1, {}}, {3, 21, 1, {2}}});
  log.task({3, 0, "x", 30, 35, "FetchFailed"}).tasks(2, 1, "x", 40, 10);
  log.tasks(3, 1, "x", 60, 5).job_end(1);
  const Imported got(log);
  ASSERT_EQ(got.jobs[0].stages.size(), 4U);
  EXPECT_EQ(got.jobs[0].stages[3].parents, std::vector<std::uint16_t>{2});
}

/// Tasks of one application over many jobs, far more than launches are held back.
TEST(SparkCases, ManyJobsAreReducedWhileTheLogIsRead) {
  SyntheticLog log;
  log.executor("x").executor("y");
  constexpr int kJobs = 600, kTasks = 40;
  for (int j = 0; j < kJobs; ++j) {
    log.sql_start(j, j).sql_job(j, j,
                                {{2 * j, 2 * j, kTasks, {}}, {2 * j + 1, 2 * j + 1, 1, {2 * j}}});
    for (int t = 0; t < kTasks; ++t) {
      log.task(
          {2 * j, t, t % 2 == 0 ? "x" : "y", 1000 * j + 10 * (t / 2), 1000 * j + 10 * (t / 2 + 1)});
    }
    log.tasks(2 * j + 1, 1, "x", 1000 * j + 500, 7).job_end(j).sql_end(j);
  }
  const Imported got(log);
  ASSERT_EQ(got.jobs.size(), static_cast<std::size_t>(kJobs));
  EXPECT_TRUE(got.report.dropped.empty() && got.report.remarks.empty());
  const Cells scan = {{Wave::fresh, 2, {10, 10}},
                      {Wave::rest, 2, std::vector<std::uint32_t>(kTasks - 2, 10)}};
  for (int j = 0; j < kJobs; ++j) {
    EXPECT_EQ(got.jobs[static_cast<std::size_t>(j)].name, "app-1/sql:" + std::to_string(j));
    EXPECT_EQ(got.jobs[static_cast<std::size_t>(j)].stages[0].cells, scan) << j;
  }
}

}  // namespace spark_cases_test
}  // namespace park::test
