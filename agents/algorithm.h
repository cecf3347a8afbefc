#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace park::agents {

/// Tensors with names, in a fixed order. They share memory with their owner, so that copying into
/// them restores it.
using State = std::vector<std::pair<std::string, at::Tensor>>;

/// What an iteration tells.
struct IterationReport {
  std::int64_t iteration = 0;
  std::uint64_t decisions = 0, episodes = 0;  ///< of this iteration
  double mean_reward = 0;                     ///< sum of an episode, mean over episodes
  double mean_length_s = 0;                   ///< of an episode
  double entropy = 0;                         ///< nats per decision
  double gradient_norm = 0;                   ///< before clipping; mean over the steps
  double advantage_sd = 0;                    ///< before normalisation
  double explained = 0;   ///< part of the variance of returns that the baseline explains
  double divergence = 0;  ///< of the new policy from the old one, nats per decision
  double learning_rate = 0, entropy_weight = 0;
};

/// Trains a network on an environment, iteration by iteration. Bit-equal from the same seed on one
/// build and machine type; what lasts from one iteration to the next is its state and the number of
/// the iteration, nothing else.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// Iteration number `iteration`, at a part in [0, 1) of the training, which schedules go by.
  /// Throws Error{not_finite} where a loss or gradient is not a finite number; the network is as it
  /// was before and dump_batch tells the batch.
  [[nodiscard]] virtual IterationReport iterate(std::int64_t iteration, double part) = 0;
  /// Parameters and buffers of the policy network: all that acting needs.
  [[nodiscard]] virtual State policy() = 0;
  /// What else lasts: optimisers, baselines, averages.
  [[nodiscard]] virtual State training() = 0;
  /// The tensors of the batch that failed last, for a file.
  [[nodiscard]] virtual State failed_batch() { return {}; }
};

}  // namespace park::agents
