#pragma once

#include "park/core/registry.h"

namespace park::heuristics {

/// Registers the policies of abr.
void register_abr(Registry&);

}  // namespace park::heuristics
