#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace park::files {

/// The fields of a line of CSV (RFC 4180, but a quoted field ends on its line), in place of what
/// `fields` held. Says in one clause what is wrong with the line, or nothing.
[[nodiscard]] std::string split_csv(std::string_view line, std::vector<std::string>& fields);

}  // namespace park::files
