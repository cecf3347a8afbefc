#pragma once

#include "park/core/registry.h"

namespace park::dag_scheduling {

/// Registers the scheduling policies.
void register_policies(Registry&);

}  // namespace park::dag_scheduling
