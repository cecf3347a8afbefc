#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "agents/net/cluster/job_graphs.h"
#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::agents {

/// The inputs of Decima's networks: rows of all stages and jobs of a batch.
class DecimaInput {
 public:
  static constexpr std::int64_t kStage = 5, kJob = 3;
  static constexpr std::int64_t kTotals = 3;  ///< more features of a job, with `totals`
  /// Which features a stage has: those of the paper or of the public code (decima.h).
  enum class Features : std::uint8_t { paper, code };

  /// Throws Error{invalid_space} if the observation is not that of a cluster.
  /// `logs`: logarithms of tasks and of work in place of tasks and of durations or work.
  /// `totals`: logarithms of a job's work, what is left of it and all, and its executors / 20.
  DecimaInput(const Spec&, Features, bool durations, bool logs = false, bool totals = false);

  [[nodiscard]] std::int64_t job_width() const noexcept { return kJob + (totals_ ? kTotals : 0); }

  struct Rows {
    at::Tensor stage, job;                                 // [S, kStage], [J, job_width()]
    std::vector<std::int64_t> job_of;                      // [S]
    std::vector<std::int64_t> row_of;                      // [J]
    std::vector<std::uint8_t> unfinished;                  // [S]
    std::span<const std::int64_t> first_stage, first_job;  // [B + 1]
    std::vector<float> executors;                          // [B] of the cluster
    std::vector<float> held;              // [S] executors that run or are promised to a stage
    std::span<const std::int32_t> least;  // [J] least limit
  };
  [[nodiscard]] Rows read(const Batch&) const;
  [[nodiscard]] JobGraphs graphs(const Batch&, const Rows&) const;

 private:
  void read_jobs(const Batch&, Rows&) const;
  void read_stages(const Batch&, Rows&) const;

  Features features_;
  bool durations_, logs_, totals_;
  dag_scheduling::DagLayout layout_;
};

}  // namespace park::agents
