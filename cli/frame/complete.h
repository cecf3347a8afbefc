#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/session.h"
#include "cli/frame/tree.h"

namespace park::cli {

/// The first argument of a call by which a shell asks what fits at the end of a line. For the line
/// "park run load_" the call is `park __complete run load_`.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// What fits in place of the last of `words`, the line without the program. A line for each word
/// that fits: the word, a tab, what it is. The last line is ":end"; ":open" where the words go on
/// without a space; ":files" where names of files fit.
[[nodiscard]] std::string complete(const Nodes&, const std::vector<std::string>& words, Session&);

}  // namespace park::cli
