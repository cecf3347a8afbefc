#pragma once

#include <cstddef>
#include <vector>

#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::workload {

/// The stages of a job, a parent before its children. Stages on a cycle and behind one are
/// missing; parents that are no stages of the job count as never finished.
[[nodiscard]] std::vector<std::size_t> topological(const envs::JobProfile& job);

}  // namespace park::workload
