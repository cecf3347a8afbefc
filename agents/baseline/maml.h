#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace park::agents {

/// The gradient [n] of a loss at weights [n].
using GradientAt = std::function<at::Tensor(const at::Tensor& weights)>;

/// Weights before and after each inner step [steps + 1]: w - rates * gradient(w), with a rate [n]
/// for each weight.
[[nodiscard]] std::vector<at::Tensor> adapt(const GradientAt& inner, const at::Tensor& weights,
                                            const at::Tensor& rates, std::uint32_t steps);

/// The gradient of an outer loss at the adapted weights with regard to the weights before the
/// adaptation (Finn et al., ICML 2017). From the last inner step back to the first it is multiplied
/// by I - H rates. H is the Hessian of the inner loss at that step. `outer` is its gradient with
/// regard to the adapted weights.
[[nodiscard]] at::Tensor meta_gradient(const GradientAt& inner,
                                       const std::vector<at::Tensor>& adapted,
                                       const at::Tensor& rates, const at::Tensor& outer);

/// The Hessian at the weights times a direction, by the central difference of two gradients: works
/// with operators that have no second derivative. With f32 its relative error is below 1e-3, where
/// no kink of a rectifier lies between the two.
[[nodiscard]] at::Tensor hessian_times(const GradientAt&, const at::Tensor& weights,
                                       const at::Tensor& direction);

}  // namespace park::agents
