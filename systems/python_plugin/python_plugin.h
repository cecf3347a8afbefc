#pragma once

#include <string>
#include <string_view>

#include "park/core/registry.h"

namespace park::plugins {

/// Whether a text names a class of Python, "module:Class", or an entry point of an installed
/// package, "park.envs:NAME" or "park.policies:NAME". Names are those of Python; a path of a file
/// has none of these forms.
[[nodiscard]] bool is_python_plugin(std::string_view text) noexcept;

/// Starts a process of Python that serves the class, and adds its environment or its policy to the
/// registry, under its own name and with its own fields. The interpreter is PARK_PYTHON, else
/// python3 of PATH; it needs the package park_sdk. The process ends with the registry and with what
/// was opened from it, and when this process or the calling thread ends in any way.
///
/// It has PARK_PYTHON_TIMEOUT_S seconds (60) to start, and for each answer. Throws Error in one
/// line that begins with the text: {unknown_name} without such a class, {invalid_config} for a
/// declaration that is wrong or a name that is taken, and {unavailable} where Python cannot be
/// started, the class cannot be loaded, or the time has passed. What is opened throws
/// Error{unavailable} where the process has ended or is silent; the line has the end of what it
/// wrote to its error output.
void add_python_plugin(Registry&, const std::string& text);

}  // namespace park::plugins
