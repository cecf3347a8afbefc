#pragma once

#include <string>
#include <string_view>

namespace park::files {

/// A text in a message: its beginning, where it is long, control characters as park::printable
/// shows them.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace park::files
