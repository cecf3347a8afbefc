// Logs of small applications, recorded by experiments/spark/record_spark_logs.py on stock Sparks of
// both lines and read a second time by a general JSON parser.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "park/envs/dag_scheduling/workload/import_spark.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/files/lines.h"
#include "tests/envs/dag_scheduling/workload/spark_oracle.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace spark_logs_test {

using dag_scheduling::Workload;
using dag_scheduling::workload::SparkImportReport;

const std::vector<std::string> kLogs = {"3.5-sql", "3.5-classic", "3.5-rdd", "3.5-cluster",
                                        "4.1-sql", "4.1-classic", "4.1-rdd", "4.1-cluster"};

/// The one log in a folder of the recordings.
std::string log_path(const std::string& name) {
  const std::string folder = std::string(PARK_SOURCE_DIR) + "/tests/data/spark/" + name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) return entry.path();
  return "";
}

struct Imported {
  SparkImportReport report;
  Workload workload;

  explicit Imported(const std::string& name)
      : workload(dag_scheduling::workload::import_spark(std::vector<std::string>{log_path(name)},
                                                        {}, report)) {}
  [[nodiscard]] dag_scheduling::JobProfile job(const std::string& name) const {
    const auto at = workload.find(name);
    if (!at) {
      ADD_FAILURE() << "no job " << name;
      return {};
    }
    return dag_scheduling::job_profile(workload, workload.jobs()[*at]);
  }
  /// Things left out for reasons that contain a text.
  [[nodiscard]] std::uint64_t dropped(const std::string& what, const std::string& why) const {
    std::uint64_t count = 0;
    for (const dag_scheduling::workload::SparkCount& one : report.dropped) {
      if (one.what == what && one.why.find(why) != std::string::npos) count += one.count;
    }
    return count;
  }
};

/// A job put together from the oracle's finished runs.
struct Expected {
  std::size_t stages = 0;
  std::multiset<std::int64_t> durations;
  double run_s = 0, cpu_s = 0;
};

std::map<std::string, Expected> expected_jobs(const std::string& name) {
  std::map<std::string, Expected> jobs;
  for (const auto& [key, run] : SparkOracle(log_path(name)).runs) {
    if (!run.finished()) continue;
    Expected& job = jobs[key.first];
    job.stages = run.stages.size();
    job.durations.insert(run.durations.begin(), run.durations.end());
    job.run_s += run.run_s;
    job.cpu_s += run.cpu_s;
  }
  return jobs;
}

TEST(SparkLogs, AreReadAsAGeneralParserReadsThem) {
  for (const std::string& name : kLogs) {
    SCOPED_TRACE(name);
    const Imported got(name);
    const std::map<std::string, Expected> wanted = expected_jobs(name);
    EXPECT_GE(wanted.size(), 2U);
    ASSERT_EQ(got.workload.jobs().size(), wanted.size());
    for (const auto& [job_name, expected] : wanted) {
      SCOPED_TRACE(job_name);
      const dag_scheduling::JobProfile job = got.job(job_name);
      EXPECT_EQ(job.stages.size(), expected.stages);
      std::multiset<std::int64_t> durations;
      double run_s = 0, cpu_s = 0;
      for (const dag_scheduling::StageProfile& stage : job.stages) {
        for (const dag_scheduling::StageProfile::Cell& cell : stage.cells)
          durations.insert(cell.durations_ms.begin(), cell.durations_ms.end());
        run_s += stage.run_s;
        cpu_s += stage.cpu_s;
      }
      EXPECT_EQ(durations, expected.durations);
      EXPECT_NEAR(run_s, expected.run_s, 1e-6);
      EXPECT_NEAR(cpu_s, expected.cpu_s, 1e-6);
    }
  }
}

TEST(SparkLogs, AreOfBothLines) {
  for (const std::string& name : kLogs) {
    EXPECT_NE(Imported(name).workload.provenance().find("Spark " + name.substr(0, 3)),
              std::string::npos)
        << name;
  }
}

TEST(SparkLogs, TellNothingOfTheMachine) {
  for (const std::string& name : kLogs) {
    for (const dag_scheduling::workload::SparkLogFile& file :
         dag_scheduling::workload::spark_log_at(log_path(name)).files) {
      const auto source = files::plain_text(file.open(), file.name);
      files::LineReader lines(*source, file.name);
      std::string_view line;
      while (lines.next(line)) {
        for (const char* folder : {"\"/work/", "/home/", "\"/root", "/wt/"}) {
          const std::size_t at = line.find(folder);
          EXPECT_EQ(at, std::string_view::npos)
              << name << ": " << line.substr(at < 100 ? 0 : at - 100, 200);
        }
      }
    }
  }
}

/// All jobs but those of the given name.
std::vector<std::string> names_but(const Workload& workload, const std::string& name) {
  std::vector<std::string> names;
  for (const Workload::Job& job : workload.jobs()) {
    if (job.name != name) names.push_back(job.name);
  }
  return names;
}

TEST(SparkLogs, SqlWithAdaptiveExecution) {
  for (const std::string name : {"3.5-sql", "4.1-sql"}) {
    SCOPED_TRACE(name);
    const Imported got(name);
    // The merge join ran twice: two scans, the join that reads both and the partial sum's readers.
    const dag_scheduling::JobProfile tagged = got.job("tagged");
    ASSERT_GE(tagged.stages.size(), 4U);
    EXPECT_EQ(tagged.stages.back().parents.size(), 1U);
    const auto joins = std::ranges::count_if(
        tagged.stages,
        [](const dag_scheduling::StageProfile& stage) { return stage.parents.size() == 2; });
    EXPECT_EQ(joins, 1) << "the shuffles of earlier Spark jobs, named again as skipped";
    EXPECT_EQ(got.report.executions, 3U);
    EXPECT_EQ(names_but(got.workload, "tagged").size(), 1U);
    EXPECT_EQ(got.dropped("job", "failed"), 1U);
    EXPECT_EQ(got.dropped("task", "failed: ExceptionFailure"), 2U) << "two attempts of one task";
  }
}

TEST(SparkLogs, SqlWithoutAdaptiveExecution) {
  for (const std::string name : {"3.5-classic", "4.1-classic"}) {
    SCOPED_TRACE(name);
    const Imported got(name);
    ASSERT_EQ(got.workload.jobs().size(), 2U);
    EXPECT_TRUE(got.report.dropped.empty());
    // The broadcast; the scan with its sums, for the sampling of the sort; the sort and its sample.
    const auto stages = got.workload.stages(got.workload.jobs()[0]);
    EXPECT_EQ(stages.size(), 5U);
    EXPECT_GE(got.workload.stages(got.workload.jobs()[1]).size(), 2U) << "one Spark job per try";
  }
}

TEST(SparkLogs, RetriesAndFailures) {
  const Imported old("3.5-rdd"), got("4.1-rdd");
  for (const Imported* one : {&old, &got}) {
    // Skipped in the second Spark job: three stages of four.
    const std::string group = names_but(one->workload, "lost")[0];
    EXPECT_NE(group.find("/group:words"), std::string::npos);
    const dag_scheduling::JobProfile words = one->job(group);
    ASSERT_EQ(words.stages.size(), 3U);
    EXPECT_EQ(words.stages[2].parents, std::vector<std::uint16_t>{0});
    EXPECT_EQ(one->dropped("job", "a Spark job of it failed"), 1U);
    EXPECT_EQ(one->dropped("job", "a Spark job of it was cancelled"), 1U);
    EXPECT_GE(one->dropped("task", "failed: ExceptionFailure"), 3U);
    EXPECT_GE(one->dropped("task", "killed"), 1U);
    EXPECT_GE(one->dropped("task", "failed: FetchFailed"), 1U);
  }
  // Files of a shuffle were lost while it was read; the first stage ran again, and its samples are
  // those of the first time. In the second attempt of the other, indices are no partitions.
  const dag_scheduling::JobProfile lost = got.job("lost");
  ASSERT_EQ(lost.stages.size(), 2U);
  EXPECT_EQ(lost.stages[0].tasks, 4);
  EXPECT_EQ(lost.stages[1].tasks, 3);
  EXPECT_GE(got.dropped("task", "ran again after it had succeeded"), 1U);
  // The log of 3.5 is cut short before it tells the end of that job.
  EXPECT_EQ(old.dropped("job", "its end is not in the log"), 1U);
  ASSERT_EQ(old.report.notes.size(), 1U);
  EXPECT_NE(old.report.notes[0].find("the log breaks off in line"), std::string::npos);
}

TEST(SparkLogs, SpeculationAndLostExecutors) {
  for (const std::string name : {"3.5-cluster", "4.1-cluster"}) {
    SCOPED_TRACE(name);
    const Imported got(name);
    const dag_scheduling::JobProfile straggler = got.job("straggler");
    ASSERT_EQ(straggler.stages.size(), 1U);
    EXPECT_EQ(straggler.stages[0].tasks, 6) << "the copy that won stands for its task";
    for (const dag_scheduling::StageProfile::Cell& cell : straggler.stages[0].cells) {
      for (const std::uint32_t ms : cell.durations_ms) EXPECT_LT(ms, 19000U);
    }
    const dag_scheduling::JobProfile lost = got.job("lost");
    ASSERT_EQ(lost.stages.size(), 2U);
    EXPECT_EQ(lost.stages[0].tasks, 8);
    EXPECT_EQ(lost.stages[1].tasks, 2);
    EXPECT_GE(got.dropped("task", "failed: ExecutorLostFailure") + got.dropped("task", "killed"),
              1U);
    EXPECT_GE(got.dropped("task", "ran again after it had succeeded"), 1U);
  }
}

}  // namespace spark_logs_test
}  // namespace park::test
