#pragma once

#include "park/core/registry.h"

namespace park::bridge {

/// Adds what is elsewhere: the environment `remote`.
void register_all(Registry&);

}  // namespace park::bridge
