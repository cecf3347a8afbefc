#pragma once

#include "park/core/registry.h"

namespace park::systems {

/// Registers every running system of this library.
void register_all(Registry&);

}  // namespace park::systems
