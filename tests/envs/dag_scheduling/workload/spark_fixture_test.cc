// The recorded log of one query, read a second time by a general JSON parser, and compared with the
// workload that comes with the program.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "park/envs/dag_scheduling/workload/import_spark.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "park/files/lines.h"
#include "park/files/unpack.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace spark_fixture_test {

using dag_scheduling::Wave;
using dag_scheduling::Workload;

const std::string kLog = std::string(PARK_SOURCE_DIR) + "/tests/data/spark/1g-6.log.gz";
const std::string kBundled = std::string(PARK_SOURCE_DIR) + "/data/workloads/tpch/tpch.park";

Workload import_fixture(dag_scheduling::workload::SparkImportReport& report) {
  dag_scheduling::workload::SparkImportOptions options;
  options.exclude = {"warmup", "setup"};
  return dag_scheduling::workload::import_spark(std::vector<std::string>{kLog}, options, report);
}

/// What the log says of the measured runs, without waves and levels.
struct Oracle {
  std::set<std::string> runs;
  std::map<std::size_t, std::multiset<std::uint32_t>> durations;  ///< by position of the stage
  std::map<std::size_t, double> run_s, cpu_s;

  Oracle() {
    const auto source = files::plain_text(files::file_source(kLog), kLog);
    files::LineReader lines(*source, kLog);
    std::string_view line;
    std::map<int, std::size_t> position;
    while (lines.next(line)) {
      const auto event = nlohmann::json::parse(line);
      if (event["Event"] == "SparkListenerJobStart" &&
          event["Properties"].value("park.job", "") == "1g:6") {
        runs.insert(event["Properties"]["park.run"].get<std::string>());
        for (std::size_t i = 0; i < event["Stage IDs"].size(); ++i) {
          position[event["Stage IDs"][i].get<int>()] = i;
        }
      }
      if (event["Event"] != "SparkListenerTaskEnd") continue;
      const auto at = position.find(event["Stage ID"].get<int>());
      if (at == position.end()) continue;
      const auto& info = event["Task Info"];
      durations[at->second].insert(static_cast<std::uint32_t>(
          info["Finish Time"].get<std::int64_t>() - info["Launch Time"].get<std::int64_t>()));
      run_s[at->second] += event["Task Metrics"]["Executor Run Time"].get<double>() / 1e3;
      cpu_s[at->second] += event["Task Metrics"]["Executor CPU Time"].get<double>() / 1e9;
    }
  }
};

TEST(SparkFixture, IsReadAsAGeneralParserReadsIt) {
  const Oracle oracle;
  dag_scheduling::workload::SparkImportReport report;
  const Workload workload = import_fixture(report);
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(report.executions, oracle.runs.size());
  ASSERT_EQ(workload.jobs().size(), 1U);
  EXPECT_EQ(workload.jobs()[0].name, "1g:6");
  const auto stages = workload.stages(workload.jobs()[0]);
  ASSERT_EQ(stages.size(), oracle.durations.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    std::multiset<std::uint32_t> durations;
    for (const dag_scheduling::WorkloadCell& cell : workload.cells(stages[s])) {
      const auto samples = workload.durations_ms(cell);
      durations.insert(samples.begin(), samples.end());
    }
    EXPECT_EQ(durations, oracle.durations.at(s));
    EXPECT_NEAR(stages[s].run_s, oracle.run_s.at(s), 1e-6);
    EXPECT_NEAR(stages[s].cpu_s, oracle.cpu_s.at(s), 1e-6);
  }
}

TEST(SparkFixture, HasTheShapeOfTheQuery) {
  dag_scheduling::workload::SparkImportReport report;
  const Workload workload = import_fixture(report);
  // A scan of 120 files and one final task; two runs on two executors, two on the one left.
  const auto stages = workload.stages(workload.jobs()[0]);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].tasks, 120);
  EXPECT_EQ(stages[1].tasks, 1);
  ASSERT_EQ(workload.parents(stages[1]).size(), 1U);
  EXPECT_EQ(workload.parents(stages[1])[0], 0);
  std::map<std::pair<Wave, int>, std::uint32_t> counts;
  for (const dag_scheduling::WorkloadCell& cell : workload.cells(stages[0])) {
    counts[{cell.wave, cell.executors}] = cell.count;
  }
  EXPECT_EQ((counts[{Wave::fresh, 1}]), 2U) << "one executor, two runs";
  EXPECT_EQ((counts[{Wave::fresh, 2}]), 4U) << "two executors, two runs";
  EXPECT_EQ((counts[{Wave::rest, 1}]), 238U);
  EXPECT_EQ((counts[{Wave::rest, 2}]), 236U);
}

TEST(SparkFixture, IsTheBundledJobByteForByte) {
  dag_scheduling::workload::SparkImportReport report;
  const Workload fixture = import_fixture(report);
  const Workload bundled = dag_scheduling::read_workload(kBundled);
  const auto at = bundled.find("1g:6");
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(dag_scheduling::job_bytes(fixture, 0), dag_scheduling::job_bytes(bundled, *at));
}

TEST(SparkFixture, BundledIsFoundFromTheLibrary) {
  EXPECT_EQ(Workload::open("bundled"), Workload::open(kBundled)) << "one file, one copy";
}

}  // namespace spark_fixture_test
}  // namespace park::test
