#pragma once

#include "park/core/registry.h"

namespace park::heuristics {

/// Adds the scheduling policies.
void register_dag_scheduling(Registry&);

}  // namespace park::heuristics
