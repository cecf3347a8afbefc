#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/declarations.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::dag_scheduling {

/// The jobs that a cluster has measured, as observations describe them. A job that somebody
/// describes a little differently is recognised by its numbers of tasks and by the nearest
/// durations.
class KnownJobs {
 public:
  /// The largest factor between a duration and that of the known job.
  static constexpr double kMostFactor = 1.5;

  struct Job {
    std::vector<float> tasks, mean_s;  ///< [stages]
  };

  /// Those of the workload that the spec's text names. None where the text names no simulated
  /// cluster, or one with semantics=compat, whose observations show drawn durations as means.
  /// Throws what Workload::open throws.
  explicit KnownJobs(const Spec&);

  [[nodiscard]] std::span<const Job> all() const noexcept { return jobs_; }
  /// The known job with these numbers of tasks whose durations are nearest. Nearest is the least
  /// sum of squares of logarithms of factors, none beyond kMostFactor. The result is nullptr where
  /// there is none.
  [[nodiscard]] const Job* find(std::span<const float> tasks, std::span<const float> mean_s) const;

 private:
  std::vector<Job> jobs_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_tasks_;
};

/// Observations as the cluster itself would describe them. A known job has the durations that were
/// measured, and the work and the critical paths that follow from them. All other jobs are as they
/// are declared.
class MeasuredJobs {
 public:
  /// Throws what KnownJobs throws, and Error{invalid_space} if the observation is not that of a
  /// cluster.
  explicit MeasuredJobs(const Spec&);

  /// The rows as the cluster describes them; nothing where they are the declared ones.
  [[nodiscard]] std::optional<Batch> describe(const Batch& declared) const;

 private:
  [[nodiscard]] std::vector<Misreport> corrections(ConstRow) const;

  KnownJobs known_;
  DagLayout layout_;
  DagDeclarations declarations_;
};

}  // namespace park::dag_scheduling
