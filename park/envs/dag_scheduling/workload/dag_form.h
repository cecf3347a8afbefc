#pragma once

#include <string>
#include <string_view>

namespace park::dag_scheduling::workload {

// Schema and version of the JSON form of job graphs.
inline constexpr std::string_view kDagSchema = "park.workload";
inline constexpr int kDagVersion = 1;

}  // namespace park::dag_scheduling::workload
