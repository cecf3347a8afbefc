#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// One job in figures; of a whole workload they are totals, or ranges where said so.
struct JobSummary {
  std::string name;
  std::size_t stages = 0, edges = 0;
  std::size_t levels = 0;  ///< stages on the longest chain; of a workload the most
  std::int64_t tasks = 0;
  double work_s = 0;  ///< tasks times mean duration, over all stages
  /// The longest chain when every stage takes one mean task: a lower bound of the job's time with
  /// unlimited executors. For a workload the largest of its jobs.
  double critical_path_s = 0;
  double run_s = 0, cpu_s = 0;  ///< measured over all samples; 0: unknown
  std::size_t samples = 0;
  std::vector<std::uint16_t> executors;  ///< numbers of executors with measurements, ascending
};

struct WorkloadSummary {
  std::string name, provenance;
  dag_scheduling::Inflation inflation;
  std::size_t jobs = 0, memory_bytes = 0;
  JobSummary total;
  std::vector<JobSummary> per_job;  ///< in the workload's order
};

[[nodiscard]] WorkloadSummary summarize(const dag_scheduling::Workload&);

}  // namespace park::dag_scheduling::workload
