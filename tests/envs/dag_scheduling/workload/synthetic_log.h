// Event logs of Spark for tests, written event by event as Spark writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload/import_spark.h"

namespace park::test {

/// Writes events in the form of Spark's own log (JsonProtocol), with some of the fields around
/// those that count.
class SyntheticLog {
 public:
  struct Stage {
    int id, rdd, tasks;
    std::vector<int> parents;
  };
  struct Task {
    int stage, index;
    std::string executor;
    std::int64_t launch, finish;  ///< ms
    std::string reason = "Success";
    bool speculative = false;
    std::int64_t run_ms = 0, cpu_ns = 0;
    bool started_only = false;
    int partition = -1;  ///< -1: the index
    int id = -1;         ///< -1: the next one
  };

  bool task_starts = true;      ///< also write the events of the tasks' starts
  std::int64_t submission = 5;  ///< ms, of the jobs that come

  SyntheticLog() {
    add(R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.3"})");
    add(R"({"Event":"SparkListenerApplicationStart","App Name":"t","App ID":"app-1","Timestamp":1})");
  }

  SyntheticLog& executor(const std::string& id, int cores = 1, std::int64_t time = 0) {
    return add(R"({"Event":"SparkListenerExecutorAdded","Timestamp":)" + std::to_string(time) +
               R"(,"Executor ID":")" + id + R"(","Executor Info":{"Host":"h","Total Cores":)" +
               std::to_string(cores) + R"(,"Log Urls":{"stdout":"http://h/?a=1&b=2"}}})");
  }
  SyntheticLog& executor_removed(const std::string& id, std::int64_t time) {
    return add(R"({"Event":"SparkListenerExecutorRemoved","Timestamp":)" + std::to_string(time) +
               R"(,"Executor ID":")" + id + R"(","Removed Reason":"killed"})");
  }

  /// properties: the inside of a JSON object.
  SyntheticLog& job(int id, const std::string& properties, const std::vector<Stage>& stages) {
    std::string infos, ids;
    for (const Stage& stage : stages) {
      append(infos, stage_info(stage));
      append(ids, std::to_string(stage.id));
    }
    return add(R"({"Event":"SparkListenerJobStart","Job ID":)" + std::to_string(id) +
               R"(,"Submission Time":)" + std::to_string(submission) + R"(,"Stage Infos":[)" +
               infos + R"(],"Stage IDs":[)" + ids +
               R"(],"Properties":{"spark.app.name":"t \"x\" \\",)" + properties +
               R"("spark.rdd.scope":"{\"id\":\"1\"}"}})");
  }
  SyntheticLog& named_job(int id, const std::string& name, const std::string& run,
                          const std::vector<Stage>& stages) {
    return job(id, R"("park.job":")" + name + R"(","park.run":")" + run + R"(",)", stages);
  }
  SyntheticLog& job_end(int id, bool succeeded = true, const std::string& message = "m") {
    return add(R"({"Event":"SparkListenerJobEnd","Job ID":)" + std::to_string(id) +
               R"(,"Completion Time":9,"Job Result":)" +
               (succeeded ? R"({"Result":"JobSucceeded"})"
                          : R"({"Result":"JobFailed","Exception":{"Message":")" + message +
                                R"(","Stack Trace":[]}})") +
               "}");
  }
  /// error: as Spark tells it since 3.4, empty for none; "null" for what older ones tell.
  SyntheticLog& sql_start(int id, int root) {
    return add(R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",)"
               R"("executionId":)" +
               std::to_string(id) + R"(,"rootExecutionId":)" + std::to_string(root) +
               R"(,"description":"d","sparkPlanInfo":{"nodeName":"n","children":[]},"time":1})");
  }
  SyntheticLog& sql_end(int id, const std::string& error = "") {
    return add(R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",)"
               R"("executionId":)" +
               std::to_string(id) + R"(,"time":2,"errorMessage":)" +
               (error == "null" ? error : '"' + error + '"') + "}");
  }
  /// A Spark job of a query.
  SyntheticLog& sql_job(int id, int root, const std::vector<Stage>& stages) {
    return job(id, R"("spark.sql.execution.root.id":")" + std::to_string(root) + R"(",)", stages);
  }

  SyntheticLog& task(const Task& task) {
    const int id = task.id >= 0 ? task.id : tasks_++;
    const std::string head =
        R"(,"Stage ID":)" + std::to_string(task.stage) + R"(,"Stage Attempt ID":0)";
    if (task_starts || task.started_only) {
      add(R"({"Event":"SparkListenerTaskStart")" + head + R"(,"Task Info":)" +
          task_info(task, id, false) + "}");
    }
    if (task.started_only) return *this;
    return add(R"({"Event":"SparkListenerTaskEnd")" + head +
               R"(,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":")" + task.reason +
               R"("},"Task Info":)" + task_info(task, id, true) +
               R"(,"Task Metrics":{"Executor Run Time":)" + std::to_string(task.run_ms) +
               R"(,"Executor CPU Time":)" + std::to_string(task.cpu_ns) +
               R"(,"Shuffle Write Metrics":{"Shuffle Bytes Written":79}}})");
  }
  /// n tasks of one stage on one executor, one behind the other, `ms` each.
  SyntheticLog& tasks(int stage, int n, const std::string& executor, std::int64_t begin,
                      std::int64_t ms, int first_index = 0) {
    for (int i = 0; i < n; ++i) {
      task({stage, first_index + i, executor, begin + i * ms, begin + (i + 1) * ms});
    }
    return *this;
  }

  SyntheticLog& add(const std::string& line) {
    text_ += line + "\n";
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static void append(std::string& list, const std::string& item) {
    if (!list.empty()) list += ',';
    list += item;
  }
  static std::string stage_info(const Stage& stage) {
    std::string parents;
    for (const int parent : stage.parents) {
      append(parents, std::to_string(parent));
    }
    return R"({"Stage ID":)" + std::to_string(stage.id) +
           R"(,"Stage Attempt ID":0,"Stage Name":"save","Number of Tasks":)" +
           std::to_string(stage.tasks) + R"(,"RDD Info":[{"RDD ID":)" + std::to_string(stage.rdd) +
           R"(,"Name":"M","Scope":"{\"id\":\"3\",\"name\":\"Exchange\"}","Parent IDs":[2]},)" +
           R"({"RDD ID":0,"Name":"N","Parent IDs":[]}],"Parent IDs":[)" + parents +
           R"(],"Details":"a(b)\nc[d]","Accumulables":[]})";
  }
  static std::string task_info(const Task& task, int id, bool ended) {
    const std::int64_t finish = ended ? task.finish : 0;
    const bool failed = ended && task.reason != "Success";
    return R"({"Task ID":)" + std::to_string(id) + R"(,"Index":)" + std::to_string(task.index) +
           R"(,"Attempt":0,"Partition ID":)" + std::to_string(task.partition) +
           R"(,"Launch Time":)" + std::to_string(task.launch) + R"(,"Executor ID":")" +
           task.executor + R"(","Host":"h","Locality":"ANY","Speculative":)" +
           (task.speculative ? "true" : "false") + R"(,"Finish Time":)" + std::to_string(finish) +
           R"(,"Failed":)" + (failed ? "true" : "false") +
           R"(,"Killed":false,"Accumulables":[{"ID":1,"Name":"n","Update":"4","Internal":true}]})";
  }

  std::string text_;
  int tasks_ = 0;
};

/// One log of one file in memory.
inline dag_scheduling::workload::SparkLogInput log_of(const std::string& name,
                                                      const std::string& text) {
  return {.name = name,
          .files = {{.name = name, .open = [text] { return files::memory_source(text); }}}};
}

/// Imports texts, plain or packed, as the logs a, b, c ...
inline dag_scheduling::Workload import_texts(
    const std::vector<std::string>& texts,
    const dag_scheduling::workload::SparkImportOptions& options = {},
    dag_scheduling::workload::SparkImportReport* report = nullptr) {
  std::vector<dag_scheduling::workload::SparkLogInput> inputs;
  for (const std::string& text : texts) {
    inputs.push_back(log_of(std::string(1, static_cast<char>('a' + inputs.size())), text));
  }
  dag_scheduling::workload::SparkImportReport unused;
  return dag_scheduling::workload::import_spark(inputs, options,
                                                report != nullptr ? *report : unused);
}

}  // namespace park::test
