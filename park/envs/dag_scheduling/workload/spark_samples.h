#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload/spark_report.h"
#include "park/envs/dag_scheduling/workload/spark_waves.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// An attempt of a task that succeeded.
struct SparkSample {
  std::int64_t launch_ms, finish_ms, id;
  std::int64_t run_ms, cpu_ns;
  std::uint32_t partition;
  bool speculative;
  Launch launch;
};

/// A stage without its parents. Each task, that is each partition, gives one duration: of the
/// attempt that succeeded first, of a speculative copy only where the original never did. Durations
/// are in the order of launches. What is left out goes to the report, as of the job `where`. There
/// may be no task left. Reorders the samples.
[[nodiscard]] dag_scheduling::StageProfile profile_of(std::vector<SparkSample>& samples,
                                                      double cpus, const std::string& where,
                                                      SparkImportReport& report);

}  // namespace park::dag_scheduling::workload
