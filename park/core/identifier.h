#pragma once

#include <algorithm>
#include <string>

namespace park {

/// The name of a leaf where dots are not allowed, as in code: they become underscores. Two names may
/// give the same one.
[[nodiscard]] inline std::string identifier_of(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace park
