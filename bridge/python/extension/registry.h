#pragma once

#include <functional>
#include <string>

#include "park/core/registry.h"

namespace park::python {

/// All of Park's environments and heuristics, what is elsewhere (remote), and the classes of Python
/// that were added up to now. It lasts as long as the process.
[[nodiscard]] const Registry& registry();

/// From now on registry() has what `add` adds; with the key of an earlier one in its place. Threads
/// that read the present registry keep it. Throws what `add` throws, and changes nothing then.
/// REQUIRES the GIL.
void extend_registry(const std::string& key, std::function<void(Registry&)> add);

/// Whether anything was added: requests may then wait for Python's lock.
[[nodiscard]] bool is_extended();

}  // namespace park::python
