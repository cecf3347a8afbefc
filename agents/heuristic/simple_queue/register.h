#pragma once

#include "park/core/registry.h"

namespace park::heuristics {

/// Registers the policies of simple_queue.
void register_simple_queue(Registry&);

}  // namespace park::heuristics
