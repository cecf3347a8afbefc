#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "agents/algorithm/training.h"

namespace park::agents {

// The loss of ppo by itself, for tests.

/// What a step raises [n]: the ratio of the new probability to the old one times the advantage,
/// with the ratio cut to 1 - clip .. 1 + clip where that gives less.
[[nodiscard]] at::Tensor clipped_gain(const at::Tensor& ratio, const at::Tensor& advantage,
                                      double clip);

/// The loss of a step: minus the sum of the clipped gains of the samples, minus the weighted sum of
/// the entropies. A sample's ratio is to the probability that it was drawn with.
[[nodiscard]] at::Tensor clipped_loss(const Evaluation&, std::span<const Sample>, double clip,
                                      double entropy_weight);

}  // namespace park::agents
