#pragma once

#include <cstddef>
#include <string>

#include "park/envs/dag_scheduling/workload.h"

namespace park::cli {

/// Jobs whose graphs a page shows at most; the others are in its figures only.
constexpr std::size_t kMostGraphs = 5000;

/// A page for a browser about a workload: its jobs and their graphs, distributions, and durations
/// against executors. `file` is how the user named it.
[[nodiscard]] std::string workload_page(const dag_scheduling::Workload&, const std::string& file);

}  // namespace park::cli
