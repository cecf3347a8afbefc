#pragma once

#include <span>

#include "agents/algorithm/training.h"

namespace park::agents {

// The step of reinforce and a2c by itself, for tests and measurements.

/// Adds up the gradient of the loss: minus the log-probabilities times the advantages and minus the
/// entropies by their weight, a sum over the samples.
void add_gradient(Training&, std::span<const Sample>, runs::IterationReport&);
/// One step along it.
void ascend(Training&, std::span<const Sample>, runs::IterationReport&);

}  // namespace park::agents
