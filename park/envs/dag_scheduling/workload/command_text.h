#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "park/core/config.h"
#include "park/core/text.h"

namespace park::dag_scheduling::workload {

/// "min_stages" -> "--min-stages": the option of the command line that sets a field.
[[nodiscard]] inline std::string option_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// The options that give a configuration, such as " --jobs 50 --seed 2": what differs from the
/// defaults. For the provenance of what a command makes.
template <Config C>
[[nodiscard]] std::string options_text(const C& c) {
  const Value given = canonical("options", c);
  std::string text;
  for (std::size_t i = 0; i < given.keys.size(); ++i) {
    text += ' ' + option_name(given.keys[i]) + ' ' + to_text(given.items[i]);
  }
  return text;
}

/// The provenance of what a command made of a workload with a provenance.
[[nodiscard]] inline std::string derived(const std::string& provenance, const std::string& how) {
  return provenance.empty() ? how : provenance + '\n' + how;
}

}  // namespace park::dag_scheduling::workload
