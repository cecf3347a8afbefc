#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "park/workload/log_source.h"

namespace park::workload {

/// What an importer needs of one application's event log. Times are milliseconds since the epoch.
/// The log's own order of events is not kept: tasks carry their launch and finish times.
struct SparkLog {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Executor {
    std::string id;
    std::int32_t cores = 1;
    std::int64_t added_ms = kNever, removed_ms = kNever;
  };

  /// A stage as the first Spark job that names it describes it.
  struct Stage {
    std::int64_t id = 0, rdd = 0;  ///< rdd: the stage's own RDD, equal for a stage and its reruns
    std::int64_t declared_tasks = 0;
    std::uint32_t execution = 0;
    std::uint32_t spark_job = 0;  ///< in order of submission
    std::vector<std::int64_t> parents;
  };

  /// One execution of one logical job: one or more Spark jobs.
  struct Execution {
    std::string job, run;
    std::uint32_t spark_jobs = 0, succeeded = 0, failed = 0;
    std::vector<std::uint32_t> stages;  ///< indices, in order of appearance
    [[nodiscard]] bool finished() const noexcept { return succeeded == spark_jobs; }
  };

  enum class Fate : std::uint8_t { good, failed, speculative, unfinished };

  struct Task {
    std::int64_t id = 0, launch_ms = 0, finish_ms = kNever;
    std::int64_t run_ms = 0, cpu_ns = 0;
    std::uint32_t stage = 0, executor = 0, index = 0;
    Fate fate = Fate::unfinished;
  };

  std::string name;  ///< for messages
  std::string spark_version, application;
  std::int32_t task_cpus = 1;
  std::vector<Executor> executors;
  std::vector<Stage> stages;
  std::vector<Execution> executions;  ///< in order of appearance
  std::vector<Task> tasks;
  std::uint64_t lines = 0;
  std::uint64_t tasks_of_unknown_stages = 0;
  bool cut_short = false;  ///< the log breaks off in the middle of a line
};

/// Reads plain or gzipped event logs of Spark 3 and 4, line by line. A logical job is named by its
/// local property park.job, else by its root SQL execution, else by its job group, else by its
/// Spark job; park.run tells executions of the same park.job apart. A last line that breaks off is
/// legal and reported by cut_short. Throws Error{bad_file} with one line for anything else that is
/// no event log, Error{io} when the source cannot be read.
[[nodiscard]] SparkLog read_spark_log(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace park::workload
