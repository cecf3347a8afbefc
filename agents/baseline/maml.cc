#include "agents/baseline/maml.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

namespace park::agents {
namespace {

// Relative to the weights: large enough for the rounding of f32 gradients, so small that hardly any
// rectifier changes sides.
constexpr double kStep = 2e-4;

}  // namespace

std::vector<at::Tensor> adapt(const GradientAt& inner, const at::Tensor& weights,
                              const at::Tensor& rates, std::uint32_t steps) {
  std::vector<at::Tensor> all = {weights};
  for (std::uint32_t i = 0; i < steps; ++i) all.push_back(all.back() - rates * inner(all.back()));
  return all;
}

at::Tensor meta_gradient(const GradientAt& inner, const std::vector<at::Tensor>& adapted,
                         const at::Tensor& rates, const at::Tensor& outer) {
  at::Tensor gradient = outer;
  for (std::size_t i = adapted.size() - 1; i-- > 0;)
    gradient = gradient - hessian_times(inner, adapted[i], rates * gradient);
  return gradient;
}

at::Tensor hessian_times(const GradientAt& gradient, const at::Tensor& weights,
                         const at::Tensor& direction) {
  const double length = direction.norm().item<double>();
  if (length == 0) return at::zeros_like(direction);
  const double step = kStep * (1 + weights.norm().item<double>());
  const at::Tensor change = direction * (step / length);
  return (gradient(weights + change) - gradient(weights - change)) * (length / (2 * step));
}

}  // namespace park::agents
