#pragma once

#include <string>

namespace park::dag_scheduling::workload {

/// The provenance of what a command made of a workload with a provenance.
[[nodiscard]] inline std::string derived(const std::string& provenance, const std::string& how) {
  return provenance.empty() ? how : provenance + '\n' + how;
}

}  // namespace park::dag_scheduling::workload
