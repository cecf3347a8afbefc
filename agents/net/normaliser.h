#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>

namespace park::agents {

/// Brings columns of features to mean 0 and deviation 1, clipped at +-10. It uses running
/// statistics of what it observed (Welford's method, merged batch by batch). A column that never
/// varied becomes 0. What was observed counts from the next settle on, so that acting and
/// evaluating agree until then. Before the first one features are only clipped. All of it is
/// buffers, which travel with the parameters.
class Normaliser : public torch::nn::Module {
 public:
  explicit Normaliser(std::int64_t columns);

  /// x [n, columns], on the CPU, is overwritten and returned.
  at::Tensor apply(at::Tensor x) const;
  /// Adds the rows of x [n, columns] to what the next settle takes over.
  void observe(const at::Tensor& x);
  void settle();

 private:
  at::Tensor shift_, scale_;      // [columns] f32: what apply subtracts and multiplies by
  at::Tensor settled_, pending_;  // [3, columns] f64: count, mean, sum of squared deviations
};

}  // namespace park::agents
