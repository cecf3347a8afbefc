#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace park::runs {

/// The figures of an iteration.
struct IterationReport {
  std::int64_t iteration = 0;
  std::uint64_t decisions = 0, episodes = 0;  ///< decisions and episodes of this iteration
  double mean_reward = 0;                     ///< sum of an episode, mean over episodes
  double mean_length_s = 0;                   ///< mean length of an episode
  double entropy = 0;                         ///< nats per decision; ppo: of its last epoch
  double gradient_norm = 0;                   ///< before clipping; mean over the steps
  double advantage_sd = 0;                    ///< before normalisation
  double explained = 0;   ///< part of the variance of returns that the baseline explains
  double divergence = 0;  ///< divergence from the old policy, nats per decision; as entropy
  double learning_rate = 0, entropy_weight = 0, discount_rate = 0;
  bool imitating = false;  ///< it followed a teacher; else it followed rewards
  /// Minus the log-probability of the teacher's answers, nats per decision. Choices among legal
  /// values count by their cross-entropy, all heads together, and real numbers by their
  /// log-density. Undefined (NaN) where nothing was imitated.
  double imitation_loss = std::numeric_limits<double>::quiet_NaN();
  /// Names and values that only this algorithm has. With a teacher "agreement.HEAD": how often the
  /// network's best-scored choice of a head was the teacher's before the iteration learned. The
  /// teacher's choices before that head are given. Only decisions with a choice count.
  std::vector<std::pair<std::string, double>> own{};

  /// visit(name, value) of every figure that curves are drawn of.
  template <class Visit>
  void figures(Visit&& visit) const {
    visit("mean_reward", mean_reward);
    visit("mean_length_s", mean_length_s);
    visit("entropy", entropy);
    visit("gradient_norm", gradient_norm);
    visit("advantage_sd", advantage_sd);
    visit("explained", explained);
    visit("divergence", divergence);
    visit("learning_rate", learning_rate);
    visit("entropy_weight", entropy_weight);
    visit("discount_rate", discount_rate);
    if (!std::isnan(imitation_loss)) visit("imitation_loss", imitation_loss);
    for (const auto& [name, value] : own) visit(name.c_str(), value);
  }
};

}  // namespace park::runs
