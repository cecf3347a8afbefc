#pragma once

#include "park/core/registry.h"

namespace park::python {

/// All of Park's environments and heuristics, and what is elsewhere (remote).
[[nodiscard]] const Registry& registry();

}  // namespace park::python
