#pragma once

#include <string_view>

namespace park::cli::scripts {

// The files of this folder by which shells complete, as they are.
[[nodiscard]] std::string_view bash();
[[nodiscard]] std::string_view zsh();
[[nodiscard]] std::string_view fish();

}  // namespace park::cli::scripts
