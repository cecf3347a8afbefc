#pragma once

#include "agents/kit/network.h"
#include "agents/kit/rollout.h"

namespace park::agents {

/// Lets the network observe rows of the rollout, spread evenly over it: as many as tell its means
/// and deviations well. `scratch` is a batch of the rollout's record. Statistics are buffers; where
/// there are none nothing is done.
void observe_some(Network&, const Rollout&, Batch& scratch);

}  // namespace park::agents
