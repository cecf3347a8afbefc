#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "agents/net/category_lists.h"
#include "agents/net/perceptron.h"
#include "park/core/rng.h"

namespace park::agents {

/// How a perceptron is made.
struct MlpOptions {
  std::vector<std::int64_t> widths;  ///< input, hidden layers, output
  MlpStyle style{};
  bool last_bias = true;
  /// Factor of the deviation of the last layer's weights: a policy whose scores are nearly equal
  /// starts nearly uniform.
  double last_scale = 0.1;
  bool glorot = false;  ///< variance 2 / (inputs + outputs) (Glorot, Bengio 2010)
  /// Inputs of the first layer that are not among its widths (SharedMlp), or how many of the one-hot
  /// inputs are 1.
  std::int64_t other_inputs = 0;
  std::int64_t categories = 0;  ///< one-hot inputs, beside the widths
};

/// Normal numbers [in, out] of a deviation.
[[nodiscard]] at::Tensor normal_weight(std::int64_t in, std::int64_t out, double deviation, Rng);

/// A perceptron with leaky rectifiers that owns its parameters. Weights start normal with variance
/// 1 / inputs, but for the last layer; biases at 0.
class Mlp : public torch::nn::Module {
 public:
  Mlp(const MlpOptions&, Rng);
  /// x [N, in], wherever it lies; [N, out] where the parameters lie.
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const;
  /// With one-hot inputs, which are not multiplied: their weights are gathered.
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const CategoryLists&) const;
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const CategorySums&) const;
  /// Some of the inputs, one behind the other.
  struct Inputs {
    std::int64_t first, count;
  };
  /// What these inputs, x [G, count], add to the first layer's sums [G, first hidden layer]. Rows
  /// that have them in common need it once.
  [[nodiscard]] at::Tensor products(const at::Tensor& x, Inputs) const;
  /// The perceptron on the other inputs, x [N, in - count], whose sums contain these products.
  [[nodiscard]] at::Tensor forward_without(Inputs, const at::Tensor& x,
                                           const CategorySums& sums) const;
  /// The weights of one-hot inputs [categories, first hidden layer]; undefined without them.
  [[nodiscard]] const at::Tensor& categories() const noexcept { return categories_; }
  [[nodiscard]] const PerceptronParameters& tensors() const noexcept { return parameters_; }

 private:
  PerceptronParameters parameters_;
  at::Tensor categories_;
};

}  // namespace park::agents
