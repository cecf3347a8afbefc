#include "park/envs/dag_scheduling/workload/spark_samples.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace park::dag_scheduling::workload {
namespace {

/// One per partition, in the order of launches.
std::vector<const SparkSample*> chosen(std::vector<SparkSample>& samples, const std::string& where,
                                       SparkImportReport& report) {
  std::ranges::sort(samples, {}, [](const SparkSample& one) {
    return std::tuple(one.partition, one.speculative, one.finish_ms, one.id);
  });
  std::optional<std::uint32_t> last;
  std::vector<const SparkSample*> all;
  for (const SparkSample& sample : samples) {
    const std::int64_t ms = sample.finish_ms - sample.launch_ms;
    if (ms < 0 || ms > std::numeric_limits<std::uint32_t>::max()) {
      report.drop("task", "finished before its launch or 49 days behind it", where);
    } else if (last == sample.partition) {
      report.drop("task",
                  sample.speculative ? "a speculative copy of one that succeeded itself"
                                     : "ran again after it had succeeded",
                  where);
    } else {
      last = sample.partition;
      all.push_back(&sample);
    }
  }
  std::ranges::sort(all, {},
                    [](const SparkSample* one) { return std::pair(one->launch_ms, one->id); });
  return all;
}

}  // namespace

dag_scheduling::StageProfile profile_of(std::vector<SparkSample>& samples, double cpus,
                                        const std::string& where, SparkImportReport& report) {
  const std::vector<const SparkSample*> tasks = chosen(samples, where, report);
  std::int64_t run_ms = 0, cpu_ns = 0;
  std::map<std::pair<dag_scheduling::Wave, std::uint16_t>, std::vector<std::uint32_t>> cells;
  for (const SparkSample* sample : tasks) {
    const auto ms = static_cast<std::uint32_t>(sample->finish_ms - sample->launch_ms);
    if (ms == 0) report.remark("task", "of less than 1 ms counts as 1 ms", where);
    cells[{sample->launch.wave, sample->launch.executors}].push_back(std::max(1U, ms));
    run_ms += sample->run_ms;
    cpu_ns += sample->cpu_ns;
  }
  dag_scheduling::StageProfile profile;
  profile.tasks = static_cast<std::int32_t>(tasks.size());
  profile.cpus = static_cast<float>(cpus);
  profile.run_s = static_cast<double>(run_ms) / 1e3;
  profile.cpu_s = static_cast<double>(cpu_ns) / 1e9;
  for (auto& [situation, durations_ms] : cells) {
    durations_ms.shrink_to_fit();
    profile.cells.push_back({situation.first, situation.second, std::move(durations_ms)});
  }
  return profile;
}

}  // namespace park::dag_scheduling::workload
