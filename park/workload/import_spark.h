#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/workload/log_source.h"

namespace park::workload {

struct SparkImportOptions {
  std::vector<std::string> exclude;  ///< names of logical jobs, such as warmup
  std::string name = "spark";        ///< of the workload
  /// How durations grow beyond the measured executors: Inflation{} for not at all.
  envs::Inflation inflation = envs::Inflation::fitted();
};

/// What was taken and what was left out. Counts are over all logs; excluded jobs are in none but
/// `excluded_executions`.
struct SparkImportReport {
  std::uint64_t lines = 0;
  std::uint64_t jobs = 0, executions = 0, stages = 0, samples = 0;
  std::uint64_t excluded_executions = 0;
  std::vector<std::string> notes;  ///< one line each: what was dropped, where and why
};

/// One event log: `source` may be gzipped, `name` is for messages.
struct SparkLogInput {
  std::string name;
  std::unique_ptr<ByteSource> source;
};

/// Turns event logs into a workload. docs/workload-format.md has the rules; in short:
/// - A logical job is one or more Spark jobs (SparkLog). Executions of the same name, in one log or
///   several, become one job: samples are put together in the order of logs and of launches.
/// - Stages that ran become stages, in the order of their Spark jobs, then of their RDDs, which is
///   an order parents first. A stage that was skipped stands for the one with the same RDD that ran
///   before it; without such a one it is dropped. Edges are Spark's own.
/// - A sample is the time from launch to finish, as the driver saw it, of a task that succeeded and
///   is no speculative copy.
/// - An executor with several cores counts as that many executors, less with spark.task.cpus.
/// Throws Error{bad_file} or Error{io}.
[[nodiscard]] envs::Workload import_spark(std::span<SparkLogInput> logs,
                                          const SparkImportOptions& options,
                                          SparkImportReport& report);

/// The same for files.
[[nodiscard]] envs::Workload import_spark(const std::vector<std::string>& paths,
                                          const SparkImportOptions& options,
                                          SparkImportReport& report);

}  // namespace park::workload
