#include "park/envs/dag_scheduling/workload/duration_profile.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::Workload;

struct Samples {
  double sum_s = 0;
  std::vector<double> relative;
};

/// The smallest value that at least this share does not exceed. Reorders.
double quantile(std::vector<double>& values, double share) {
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto at =
      values.begin() + std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(rank) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

DurationLevel level(dag_scheduling::Wave wave, std::uint16_t executors, Samples& samples) {
  const auto count = static_cast<double>(samples.relative.size());
  double sum = 0;
  for (const double value : samples.relative) sum += value;
  return {.wave = wave,
          .executors = executors,
          .samples = samples.relative.size(),
          .mean_s = samples.sum_s / count,
          .relative_mean = sum / count,
          .relative_p10 = quantile(samples.relative, 0.1),
          .relative_p50 = quantile(samples.relative, 0.5),
          .relative_p90 = quantile(samples.relative, 0.9)};
}

}  // namespace

std::vector<DurationLevel> duration_profile(const Workload& workload,
                                            std::span<const Workload::Job> jobs) {
  std::map<std::pair<dag_scheduling::Wave, std::uint16_t>, Samples> levels;
  for (const Workload::Job& job : jobs)
    for (const Workload::Stage& stage : workload.stages(job))
      for (const dag_scheduling::WorkloadCell& cell : workload.cells(stage)) {
        Samples& samples = levels[{cell.wave, cell.executors}];
        for (const std::uint32_t ms : workload.durations_ms(cell)) {
          samples.sum_s += ms / 1000.0;
          samples.relative.push_back(ms / 1000.0 / stage.mean_duration_s);
        }
      }
  std::vector<DurationLevel> all;
  for (auto& [key, samples] : levels) all.push_back(level(key.first, key.second, samples));
  return all;
}

}  // namespace park::dag_scheduling::workload
