#pragma once

#include <string>
#include <vector>

#include "tests/siege/attack.h"

namespace park::siege {

/// Whether every promise held.
[[nodiscard]] bool held(const std::vector<Report>&);
/// A line for each attack, then what broke.
[[nodiscard]] std::string report_text(const std::vector<Report>&);
[[nodiscard]] std::string report_json(const Options&, const std::vector<Report>&);

}  // namespace park::siege
