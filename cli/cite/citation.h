#pragma once

#include <string>
#include <string_view>

namespace park::cli {

namespace citation {
/// CITATION.cff as it is.
[[nodiscard]] std::string_view file();
}  // namespace citation

/// The value of the first line `KEY: VALUE` of a text, at any indent and behind "- ", without its
/// quotes; empty: there is none.
[[nodiscard]] std::string citation_field(std::string_view text, std::string_view key);

}  // namespace park::cli
