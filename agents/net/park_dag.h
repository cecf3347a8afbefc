#pragma once

#include <memory>

#include "agents/kit/network.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

/// A network for dag_scheduling and its twin that scores stages, numbers of executors and classes
/// by perceptrons on DagFeatures. Limits that give the stage the same number of executors are one
/// candidate. Throws Error{invalid_space} for another environment.
[[nodiscard]] std::shared_ptr<Network> make_park_dag(const Spec&, const Rng&);

}  // namespace park::agents
