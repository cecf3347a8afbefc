#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// Measured task durations of one wave with one number of executors.
struct DurationLevel {
  dag_scheduling::Wave wave;
  std::uint16_t executors;
  std::size_t samples = 0;
  double mean_s = 0;
  /// Durations divided by the mean of their stage, so that long and short stages compare: mean and
  /// quantiles by nearest rank.
  double relative_mean = 0, relative_p10 = 0, relative_p50 = 0, relative_p90 = 0;
};

/// All samples of these jobs together, by wave and number of executors, ascending.
[[nodiscard]] std::vector<DurationLevel> duration_profile(
    const dag_scheduling::Workload&, std::span<const dag_scheduling::Workload::Job>);

}  // namespace park::dag_scheduling::workload
