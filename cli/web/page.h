#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/web/assets.h"

namespace park::cli {

/// A page for a browser that refers to nothing outside itself. It contains style, scripts and data,
/// and its content policy forbids loading anything.
struct Page {
  std::string title;
  std::string_view body;                  ///< HTML
  std::vector<std::string_view> scripts;  ///< run in this order after the body
  std::string data;                       ///< JSON; scripts find it in the element "data"
};

[[nodiscard]] std::string page(const Page&);

}  // namespace park::cli
