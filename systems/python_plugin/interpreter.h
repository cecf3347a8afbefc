#pragma once

#include <string>

namespace park::python_plugin {

/// The interpreter for what is written in Python. It is PARK_PYTHON if that is set, else the
/// python3 beside this program or library, else python3 of PATH. A python3 is beside them in an
/// environment that a wheel of Park was installed into.
[[nodiscard]] std::string interpreter();

}  // namespace park::python_plugin
