#pragma once

#include <torch/nn/module.h>

#include "agents/net/fused_mlp.h"
#include "park/core/rng.h"

namespace park::agents {

/// Sizes of a perceptron in -> hidden1 -> hidden2 -> out.
struct MlpSizes {
  std::int64_t in, hidden1, hidden2, out = 1;
};

/// A perceptron with leaky rectifiers that owns its parameters. Weights start normal with variance
/// 1 / inputs, those of the last layer at a tenth of that deviation, so that a policy starts
/// nearly uniform; biases at 0.
class Mlp : public torch::nn::Module {
 public:
  Mlp(const MlpSizes&, Rng);
  /// x [N, in]; [N, out].
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const { return fused_mlp(x, parameters_); }

 private:
  at::Tensor weight(const char* name, std::int64_t in, std::int64_t out, double scale, Rng);
  MlpParameters parameters_;
};

}  // namespace park::agents
