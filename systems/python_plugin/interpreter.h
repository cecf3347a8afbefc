#pragma once

#include <string>

namespace park::python_plugin {

/// The Python for what is written in it: PARK_PYTHON if it is set; else the python3 beside this program or
/// library, as in an environment that a wheel of Park was installed into; else python3 of PATH.
[[nodiscard]] std::string interpreter();

}  // namespace park::python_plugin
