#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/workload/spark_files.h"
#include "park/files/lines.h"
#include "park/files/unpack.h"

namespace park::test {

/// What an event log says of one execution of one job, read by a general JSON parser. Knows one
/// application whose log has its beginning, and neither waves nor edges.
struct OracleRun {
  std::set<std::int64_t> stages;             ///< that ran
  std::multiset<std::int64_t> durations;     ///< of the first success of every task, ms
  double run_s = 0, cpu_s = 0;               ///< of the same
  std::uint32_t started = 0, succeeded = 0;  ///< Spark jobs
  bool query_failed = false, query_open = false;

  [[nodiscard]] bool finished() const {
    return started == succeeded && !query_failed && !query_open && !durations.empty();
  }
  [[nodiscard]] double work_s() const {
    double sum = 0;
    for (const std::int64_t ms : durations) sum += static_cast<double>(ms) / 1e3;
    return sum;
  }
};

class SparkOracle {
 public:
  using Name = std::pair<std::string, std::string>;  ///< job and run

  explicit SparkOracle(const std::string& path) {
    for (const dag_scheduling::workload::SparkLogFile& file :
         dag_scheduling::workload::spark_log_at(path).files) {
      const auto source = files::plain_text(file.open(), file.name);
      files::LineReader lines(*source, file.name);
      std::string_view line;
      while (lines.next(line)) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        if (!event.is_discarded()) take(event);  // the last line may break off
      }
    }
  }

  std::map<Name, OracleRun> runs;

 private:
  using Json = nlohmann::json;

  static std::string text(const Json& object, const char* key) { return object.value(key, ""); }

  void take(const Json& event) {
    const std::string kind = event["Event"].get<std::string>();
    if (kind == "SparkListenerApplicationStart") app_ = event["App ID"].get<std::string>() + "/";
    if (kind == "SparkListenerJobStart") job_start(event);
    if (kind == "SparkListenerJobEnd" && event["Job Result"]["Result"] == "JobSucceeded") {
      ++runs[job_[event["Job ID"].get<std::int64_t>()]].succeeded;
    }
    if (kind == "SparkListenerTaskEnd") task_end(event);
    const std::string sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution";
    if (kind == sql + "Start" && event["executionId"] == event["rootExecutionId"]) {
      open_.insert(std::to_string(event["executionId"].get<std::int64_t>()));
    }
    if (kind == sql + "End") sql_end(event);
  }

  void job_start(const Json& event) {
    const Json& all = event["Properties"];
    const std::string root = text(all, "spark.sql.execution.root.id");
    const std::string group = text(all, "spark.jobGroup.id"), own = text(all, "park.job");
    const std::int64_t id = event["Job ID"].get<std::int64_t>();
    const Name name = !own.empty()     ? Name{own, text(all, "park.run")}
                      : !root.empty()  ? Name{app_ + "sql:" + root, ""}
                      : !group.empty() ? Name{app_ + "group:" + group, ""}
                                       : Name{app_ + "job:" + std::to_string(id), ""};
    job_[id] = name;
    ++runs[name].started;
    if (open_.contains(root)) {
      runs[name].query_open = true;
      query_[root] = name;
    }
    for (const Json& stage : event["Stage IDs"])
      stage_.try_emplace(stage.get<std::int64_t>(), name);
  }

  void sql_end(const Json& event) {
    const std::string id = std::to_string(event["executionId"].get<std::int64_t>());
    const auto at = query_.find(id);
    if (at == query_.end()) return;
    runs[at->second].query_open = false;
    if (!text(event, "errorMessage").empty()) runs[at->second].query_failed = true;
  }

  void task_end(const Json& event) {
    const std::int64_t stage = event["Stage ID"].get<std::int64_t>();
    const auto at = stage_.find(stage);
    if (at == stage_.end() || event["Task End Reason"]["Reason"] != "Success") return;
    const Json& info = event["Task Info"];
    if (!done_.emplace(stage, info["Partition ID"].get<std::int64_t>()).second) return;
    OracleRun& run = runs[at->second];
    run.stages.insert(stage);
    run.durations.insert(std::max<std::int64_t>(
        1, info["Finish Time"].get<std::int64_t>() - info["Launch Time"].get<std::int64_t>()));
    run.run_s += event["Task Metrics"]["Executor Run Time"].get<double>() / 1e3;
    run.cpu_s += event["Task Metrics"]["Executor CPU Time"].get<double>() / 1e9;
  }

  std::string app_;
  std::map<std::int64_t, Name> job_, stage_;
  std::set<std::pair<std::int64_t, std::int64_t>> done_;  ///< stage and partition
  std::set<std::string> open_;                            ///< queries whose start was seen
  std::map<std::string, Name> query_;
};

}  // namespace park::test
