#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload/spark_files.h"
#include "park/envs/dag_scheduling/workload/spark_report.h"

namespace park::dag_scheduling::workload {

struct SparkImportOptions {
  std::vector<std::string> exclude;  ///< names of logical jobs, such as warmup
  std::string name = "spark";        ///< name of the workload
  /// How durations grow beyond the measured executors: Inflation{} for not at all.
  dag_scheduling::Inflation inflation = dag_scheduling::Inflation::fitted();
  /// Told now and then how many more bytes of the logs' files were read. May throw to stop.
  std::function<void(std::uint64_t)> advance;
};

/// Turns event logs into a workload. docs/workload-format.md has the rules; in short:
/// - A logical job is one or more Spark jobs: those with one local property park.job, whose
///   executions park.run separates. Without it a request of Spark Connect is an execution, whose tag
///   is the name. Other Spark jobs are grouped by root SQL execution, else by job group, else each is
///   alone. Executions of the same name, in one log or several, become one job:
///   samples are put together in the order of logs and of launches.
/// - Stages that ran become stages, in the order of their Spark jobs, then of their RDDs, which is
///   an order parents first. A stage that was skipped stands for the one with the same RDD that ran
///   before it; without such a one it is dropped. Edges are Spark's own.
/// - A sample is the time from launch to finish, as the driver saw it, of the first attempt of a
///   task that succeeded.
/// - An executor with several cores counts as that many executors, less with more CPUs per task.
/// - What is left out is told in the report.
/// Logs are read as streams; memory is what running jobs and the result need. Throws
/// Error{bad_file} or Error{io}.
[[nodiscard]] dag_scheduling::Workload import_spark(std::span<SparkLogInput> logs,
                                                    const SparkImportOptions& options,
                                                    SparkImportReport& report);

/// The same for files and folders of rolled logs.
[[nodiscard]] dag_scheduling::Workload import_spark(const std::vector<std::string>& paths,
                                                    const SparkImportOptions& options,
                                                    SparkImportReport& report);

}  // namespace park::dag_scheduling::workload
