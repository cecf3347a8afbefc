#pragma once

#include <string_view>

namespace park::dag_scheduling::workload {

// The files of this folder that make the page, as they were when park was built.
[[nodiscard]] std::string_view workload_html();
[[nodiscard]] std::string_view workload_js();

}  // namespace park::dag_scheduling::workload
