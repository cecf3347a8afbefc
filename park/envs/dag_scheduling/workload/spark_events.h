#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace park::dag_scheduling::workload {

// Events of Spark's event logs (JsonProtocol) with the fields that an importer needs. Times are
// milliseconds since the epoch.

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct SparkApplication {
  std::string id, attempt;   ///< attempt: empty if the cluster manager counts none
  std::int64_t time_ms = 0;  ///< when it began
};

struct SparkExecutorAdded {
  std::string id;
  std::int64_t time_ms = 0, profile = 0;
  std::int32_t cores = 1;
};

struct SparkExecutorRemoved {
  std::string id;
  std::int64_t time_ms = 0;
};

/// CPUs of a task: of one resource profile, or by the application's settings, which is profile 0.
struct SparkTaskCpus {
  std::int64_t profile = 0;
  std::int32_t cpus = 1;  ///< at least 1: of a fraction, a core still runs one task at a time
};

struct SparkStageInfo {
  std::int64_t id = 0;
  std::int64_t rdd = 0;  ///< the stage's own, equal for a stage and its reruns; negative: unknown
  std::int64_t tasks = 0, profile = 0;
  std::vector<std::int64_t> parents;
};

struct SparkJobStart {
  std::int64_t id = 0, time_ms = 0;
  std::vector<SparkStageInfo> stages;
  std::string park_job, park_run;  ///< local properties, or what tags of Spark Connect tell
  std::string sql_root, group;     ///< local properties; empty: not set
  bool park_setup = false;         ///< local property: it is part of no job
  std::int32_t task_cpus = 0;      ///< 0: not set
};

struct SparkJobEnd {
  enum class Result : std::uint8_t { succeeded, failed, cancelled };
  std::int64_t id = 0, time_ms = 0;
  Result result = Result::succeeded;
};

/// The start of a task, or the end of one.
struct SparkTask {
  enum class Fate : std::uint8_t { good, failed, killed, resubmitted };
  std::int64_t stage = 0, id = 0;
  std::int64_t launch_ms = 0, finish_ms = 0;  ///< finish: of an end only
  std::int64_t run_ms = 0, cpu_ns = 0;
  std::uint32_t partition = 0;
  bool speculative = false;
  Fate fate = Fate::good;  ///< resubmitted: it had succeeded, and what it made is lost
  std::string executor;
  std::string reason;  ///< reason of an end, such as Success or FetchFailed
};

/// The start of an execution of a SQL query, or its end.
struct SparkSqlExecution {
  std::string id, root;  ///< root: the execution that this one is a part of, or itself
  std::int64_t time_ms = 0;
  enum class Result : std::uint8_t { unknown, succeeded, failed };
  Result result = Result::unknown;  ///< result of an end; logged since Spark 3.4
};

class SparkEventHandler {
 public:
  virtual ~SparkEventHandler() = default;
  virtual void version(const std::string&) = 0;
  virtual void application(const SparkApplication&) = 0;
  virtual void task_cpus(const SparkTaskCpus&) = 0;
  virtual void executor_added(const SparkExecutorAdded&) = 0;
  virtual void executor_removed(const SparkExecutorRemoved&) = 0;
  virtual void job_start(SparkJobStart&) = 0;
  virtual void job_end(const SparkJobEnd&) = 0;
  virtual void task_start(const SparkTask&) = 0;
  virtual void task_end(const SparkTask&) = 0;
  virtual void sql_start(const SparkSqlExecution&) = 0;
  virtual void sql_end(const SparkSqlExecution&) = 0;
};

/// Reads one line of a log of Spark 3 or 4. The handler is called at most once, and only for an
/// event that was read completely. A truncated line therefore has no effect. Events of other kinds
/// are looked at only so far that a line broken off is found. Throws files::JsonError.
void read_spark_event(std::string_view line, SparkEventHandler& handler);

}  // namespace park::dag_scheduling::workload
