#pragma once

#include "park/core/registry.h"

namespace park::dl_cluster {

/// Registers the heuristics that go through the jobs in an order.
void register_ordered_policies(Registry&);

}  // namespace park::dl_cluster
