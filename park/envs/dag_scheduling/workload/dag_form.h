#pragma once

#include <string>
#include <string_view>

namespace park::dag_scheduling::workload {

// What the JSON form of job graphs says of itself.
inline constexpr std::string_view kDagSchema = "park.workload";
inline constexpr int kDagVersion = 1;

}  // namespace park::dag_scheduling::workload
