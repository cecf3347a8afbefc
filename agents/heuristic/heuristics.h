#pragma once

#include "park/core/registry.h"

namespace park::heuristics {

/// Registers every policy of this library, and `random`.
void register_all(Registry&);

}  // namespace park::heuristics
