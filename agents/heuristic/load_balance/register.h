#pragma once

#include "park/core/registry.h"

namespace park::heuristics {

/// Registers the policies of load_balance.
void register_load_balance(Registry&);

}  // namespace park::heuristics
