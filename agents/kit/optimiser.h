#pragma once

#include <torch/nn/module.h>
#include <torch/optim/adam.h>

#include <memory>

#include "agents/kit/state.h"

namespace park::agents {

/// Adam (Kingma and Ba, ICLR 2015) with clipping of the gradient's norm, whose state is tensors.
class Optimiser {
 public:
  explicit Optimiser(std::shared_ptr<torch::nn::Module>);

  /// One step along the gradients that backward has summed up, each divided by `count` first.
  /// Gradients are zero afterwards. Returns their norm before clipping, as the mean over `count`.
  /// Throws Error{not_finite} before anything changes where the norm is not a finite number.
  double step(double learning_rate, double clip_norm, double count);
  /// Forgets all steps, as if none had been taken.
  void reset();
  [[nodiscard]] State state();

 private:
  std::shared_ptr<torch::nn::Module> net_;
  torch::optim::Adam adam_;
  at::Tensor steps_;  // [1] i64: taken so far
};

/// Parameters and buffers of a network under its own names.
[[nodiscard]] State state_of(const torch::nn::Module&);
/// Appends tensors with `prefix.` before their names.
void append(State&, const std::string& prefix, const State&);

}  // namespace park::agents
