#pragma once

#include <cstddef>
#include <vector>

#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// The stages of a job, a parent before its children. Stages on a cycle and behind one are
/// missing; parents that are no stages of the job count as never finished.
[[nodiscard]] std::vector<std::size_t> topological(const dag_scheduling::JobProfile& job);

}  // namespace park::dag_scheduling::workload
