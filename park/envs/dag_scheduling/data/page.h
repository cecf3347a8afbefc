#pragma once

#include <cstddef>
#include <string>

#include "park/command/data_action.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// Jobs whose graphs a page shows at most; the others are in its figures only.
constexpr std::size_t kMostGraphs = 5000;

/// A page for a browser about a workload: its jobs and their graphs, distributions, and durations
/// against executors. `file` is how the user named the workload, `path` where the page goes.
[[nodiscard]] command::DataPage workload_page(const Workload&, const std::string& file,
                                              const std::string& path);

}  // namespace park::dag_scheduling::workload
