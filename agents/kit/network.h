#pragma once

#include <torch/nn/module.h>

#include <cstddef>
#include <memory>

#include "park/core/batch.h"
#include "park/core/candidates.h"

namespace park::agents {

/// A network's encoding of B observations, made once and scored head by head.
class Encoding {
 public:
  virtual ~Encoding() = default;
};

/// A policy network: scores the candidates of a head of any environment. It may also estimate the
/// value of an observation. One thread at a time.
class Network : public torch::nn::Module {
 public:
  /// The batch must stay as it is while the encoding is used.
  [[nodiscard]] virtual std::unique_ptr<Encoding> encode(const Batch& observation) = 0;
  /// Drops candidates that mean the same to the environment as another one; each row keeps one.
  virtual void narrow(Encoding&, std::size_t head, const Batch& actions, Candidates&) {
    static_cast<void>(head), static_cast<void>(actions);
  }
  /// One score per candidate [C]: the logarithm of its probability but for a constant per row.
  /// `actions` [B] holds the choices of the earlier heads. For a continuous head the candidates
  /// are empty and the result is the mean [B, width].
  [[nodiscard]] virtual at::Tensor scores(Encoding&, std::size_t head, const Candidates&,
                                          const Batch& actions) = 0;
  /// The logarithm of the standard deviation [width] of a continuous head.
  [[nodiscard]] virtual at::Tensor log_deviation(std::size_t head) {
    static_cast<void>(head);
    return {};
  }
  /// Values [B]. REQUIRES has_values().
  [[nodiscard]] virtual at::Tensor values(Encoding&) { return {}; }
  [[nodiscard]] virtual bool has_values() const noexcept { return false; }
  /// Statistics of observations that normalise later ones. `observe` adds some of an iteration.
  /// `settle` applies the additions, so that scores and values stay comparable in between.
  virtual void observe(const Batch& observation) { static_cast<void>(observation); }
  virtual void settle() {}
};

}  // namespace park::agents
