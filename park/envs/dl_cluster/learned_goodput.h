#pragma once

#include "park/core/registry.h"

namespace park::dl_cluster {

/// Registers the rule whose weights are learned.
void register_learned_goodput(Registry&);

}  // namespace park::dl_cluster
