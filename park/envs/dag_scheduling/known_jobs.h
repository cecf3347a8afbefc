#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "park/core/space.h"

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

}  // namespace park::dag_scheduling
