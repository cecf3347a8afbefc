#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

struct DecimaImportReport {
  std::uint64_t jobs = 0, stages = 0;
  std::uint64_t raw_samples = 0;      ///< as published
  std::uint64_t removed_samples = 0;  ///< from first waves: they are fresh ones
  std::uint64_t filled_samples = 0;   ///< copied into first waves that had none
};

/// The two files of one job, and their names for messages.
struct DecimaJobInput {
  std::string name;  ///< name of the job
  std::span<const std::byte> matrix, durations;
  std::string matrix_source, durations_source;
};

/// One job, prepared as import_decima says. Adds the samples to the report.
/// Throws Error{bad_file} with one line.
[[nodiscard]] dag_scheduling::JobProfile import_decima_job(const DecimaJobInput& input,
                                                           DecimaImportReport& report);

/// The profiles published with Decima's simulator (Mao et al., SIGCOMM 2019;
/// github.com/hongzimao/decima-sim, spark_env/tpch). They have a folder per size. It holds, for
/// every query Q, adj_mat_Q.npy (1: row is a parent of column) and task_duration_Q.npy (stage ->
/// first_wave, rest_wave, fresh_durations -> executors -> list of ms). Jobs are named size:query,
/// such as 2g:20, in order of size, then of query.
///
/// The original's preparation is done here (its job_generator.py). First, a stage has as many tasks
/// as first and rest wave at the first level in the file. Then fresh durations are removed from
/// each level's first wave, as multisets. A first wave left empty gets that of the next lower
/// level. The mean over all samples that result, at all levels, is the original's "rough duration",
/// Workload::Stage::mean_duration_s here.
///
/// Throws Error{io} or Error{bad_file} with one line.
[[nodiscard]] dag_scheduling::Workload import_decima(const std::string& folder,
                                                     const dag_scheduling::Inflation& inflation,
                                                     DecimaImportReport& report);

}  // namespace park::dag_scheduling::workload
