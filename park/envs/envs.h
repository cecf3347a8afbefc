#pragma once

#include "park/core/registry.h"

namespace park::envs {

/// Registers every environment of this library.
void register_all(Registry&);

}  // namespace park::envs
