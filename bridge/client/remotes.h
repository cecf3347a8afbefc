#pragma once

#include "park/core/registry.h"

namespace park::bridge {

/// Adds what is elsewhere: the environment and the policy `remote`.
void register_all(Registry&);

}  // namespace park::bridge
