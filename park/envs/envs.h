#pragma once

#include "park/core/registry.h"

namespace park::envs {

/// Registers every environment of this library, with its policies, and the policy random.
void register_all(Registry&);

}  // namespace park::envs
