#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/net/mlp.h"
#include "park/core/rng.h"

namespace park::agents {

/// How a perceptron on rows that have much in common is made.
struct SharedMlpOptions {
  std::int64_t shared, own;          ///< inputs that a group of rows has in common, and of a row
  std::vector<std::int64_t> widths;  ///< hidden layers and output
  double last_scale = 0.1;           ///< as MlpOptions
};

/// A perceptron of [shared input, own input] that owns its parameters. The products of shared
/// inputs with the first layer's weights are computed once for all rows of a group. Weights start
/// as those of Mlp with shared + own inputs.
class SharedMlp : public torch::nn::Module {
 public:
  SharedMlp(const SharedMlpOptions&, const Rng&);
  /// shared [G, shared], own [N, own], the group of each own row [N]; [N, out].
  [[nodiscard]] at::Tensor forward(const at::Tensor& shared, const at::Tensor& own,
                                   const at::Tensor& group) const;

 private:
  at::Tensor weight_;  // [shared, first hidden layer]
  std::shared_ptr<Mlp> own_;
};

}  // namespace park::agents
