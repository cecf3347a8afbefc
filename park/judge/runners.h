#pragma once

#include <string_view>

namespace park::judge {

/// The program that plays a candidate of Python.
[[nodiscard]] std::string_view runner_py();
/// What stands in front of a candidate of C++, without the tables of its environment.
[[nodiscard]] std::string_view runner_prelude();

}  // namespace park::judge
