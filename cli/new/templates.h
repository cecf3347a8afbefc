#pragma once

#include <span>
#include <string_view>

namespace park::cli {

/// A file of cli/new/templates, as it was when park was built.
struct Template {
  std::string_view path;  ///< below cli/new/templates: "env/src/config.h"
  std::string_view text;
};

/// All of them, sorted by path. CMake writes this function.
[[nodiscard]] std::span<const Template> templates();

}  // namespace park::cli
