#pragma once

#include <string>
#include <string_view>

namespace park::files {

/// "no JSON: ..." of what JSON for Modern C++ says about a text that it cannot read. `what` is its
/// exception's text, `last` the last word that it read. Bytes of the text are shown as in shown.h.
[[nodiscard]] std::string json_complaint(std::string_view what, std::string_view last);

}  // namespace park::files
