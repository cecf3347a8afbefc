#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "agents/kit/network.h"

namespace park::agents {

/// A network's evaluation of taken decisions.
struct Evaluation {
  at::Tensor log_prob;  ///< [B] of the action, all heads together
  at::Tensor entropy;   ///< [B] sum over the heads, each given the choices before it
  std::unique_ptr<Encoding> encoding;
};

/// Evaluates actions [B] on observations [B], with gradients where they are enabled. A decision
/// that leaves no choice has log-probability and entropy 0. Throws Error{illegal_action} for an
/// action that the network cannot take.
[[nodiscard]] Evaluation evaluate(Network&, const Heads&, const Batch& observation,
                                  const Batch& actions);

/// Chooses among one row's candidates of a head by their scores: the place of the chosen one.
using Pick =
    std::function<std::size_t(std::size_t row, std::size_t head,
                              std::span<const std::int32_t> values, std::span<const float> scores)>;
/// Draws a standard normal number for a component of a continuous head; 0: the mean.
using Noise = std::function<float(std::size_t row, std::size_t head, std::size_t component)>;

/// Takes decisions, head by head, without gradients. `actions` [B] are overwritten; if log_prob [B]
/// is not empty, it gets the logarithms of their probabilities, as evaluate gives them.
void decide(Network&, const Heads&, const Batch& observation, Batch& actions, const Pick&,
            const Noise&, std::span<float> log_prob = {});

/// The place of a value among a row's candidates of a head, which ascend; their number where it is
/// not there. A value above the largest one of an interval means that one (Network::narrow).
[[nodiscard]] std::size_t place_of(std::int32_t value, HeadKind,
                                   std::span<const std::int32_t> candidates) noexcept;
/// The largest score; ties: the first.
[[nodiscard]] std::size_t pick_largest(std::span<const float> scores) noexcept;
/// Draws by the probabilities of the scores, with a number that is uniform in [0, 1).
[[nodiscard]] std::size_t pick_by(std::span<const float> scores, double uniform) noexcept;

}  // namespace park::agents
