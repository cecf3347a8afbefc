#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace park::command {

/// The parts between separators; one part more than there are separators.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

[[nodiscard]] std::string joined(const std::vector<std::string>& texts, std::string_view separator);

/// "a, b or c".
[[nodiscard]] std::string alternatives(const std::vector<std::string>& names);

/// "did you mean 'NAME'? " of the name that is nearest to the word; "" where none is near.
[[nodiscard]] std::string meant(std::string_view word, const std::vector<std::string>& names);

}  // namespace park::command
