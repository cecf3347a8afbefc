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

/// What a step descends: minus the sum of the clipped gains of the samples, whose ratios are those
/// to the probabilities that they were drawn with, minus the sum of the entropies by their weight.
[[nodiscard]] at::Tensor clipped_loss(const Evaluation&, std::span<const Sample>, double clip,
                                      double entropy_weight);

}  // namespace park::agents
