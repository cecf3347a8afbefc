#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace park::agents {

/// The parameters of a multi-layer perceptron in -> hidden1 -> hidden2 -> out with leaky rectifiers
/// of slope 0.1 behind the hidden layers, as the fused operator takes them: weights [in, out].
struct MlpParameters {
  at::Tensor w1, b1, w2, b2, w3, b3;
};

/// The perceptron on every row of x [N, in] f32; [N, out]. One node of the graph whose forward and
/// backward run row by row: activations of a row stay in registers and the first cache, which
/// operator by operator they do not. Equal to the plain operators but for rounding.
[[nodiscard]] at::Tensor fused_mlp(const at::Tensor& x, const MlpParameters&);

}  // namespace park::agents
