#pragma once

#include "park/core/registry.h"

namespace park::dl_cluster {

/// Registers the heuristics.
void register_policies(Registry&);

}  // namespace park::dl_cluster
