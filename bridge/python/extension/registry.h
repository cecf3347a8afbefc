#pragma once

#include <functional>

#include "park/core/registry.h"

namespace park::python {

/// All of Park's environments and heuristics, what is elsewhere (remote), and what Python has added
/// up to now. It lasts as long as the process.
[[nodiscard]] const Registry& registry();

/// From now on registry() has what `add` adds. Threads that read the present one go on with it.
/// REQUIRES the GIL.
void extend_registry(const std::function<void(Registry&)>& add);

}  // namespace park::python
