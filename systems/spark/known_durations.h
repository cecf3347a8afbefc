#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"

namespace park::spark {

/// For each stage a number that identifies its tasks and those of all stages before it. Stages of
/// equal numbers do the same step of the same query, though their ids differ and the known parts of
/// their graphs may differ. `edges` are pairs of parent and child; a stage on a circle, or after
/// one, has 0.
[[nodiscard]] std::vector<std::uint64_t> stage_shapes(
    std::span<const std::uint32_t> tasks,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

/// Durations of the tasks of a job's stages, known before they run from the jobs of the same name
/// in a workload. The simulator gives its policies the same durations.
class KnownDurations {
 public:
  explicit KnownDurations(const dag_scheduling::Workload&);
  /// Mean duration of a task in seconds; nothing if the workload has no such stage of such a
  /// job.
  [[nodiscard]] std::optional<double> mean_s(const std::string& job, std::uint64_t shape) const;

 private:
  using Means = std::unordered_map<std::uint64_t, double>;
  std::unordered_map<std::string, Means> jobs_;
};

/// Those of a workload file. Throws Error where it cannot be read.
[[nodiscard]] std::shared_ptr<const KnownDurations> read_known_durations(const std::string& file);

}  // namespace park::spark
