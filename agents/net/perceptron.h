#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "agents/net/packed_mlp.h"

namespace park::agents {

/// A perceptron: weights [in, out] and biases [out], layer by layer, on one device; the last layer
/// may have no bias.
struct PerceptronParameters {
  std::vector<at::Tensor> tensors;
  MlpStyle style{};
};

/// The perceptron on every row of x [N, in] f32; [N, out]. Rows with common inputs may share a part
/// of the first layer's sums, shared [G, width of that layer]. Row r of x takes row of[r]. The
/// common inputs are then multiplied with weights only once. On the CPU this is one node of the
/// graph, whose forward and backward process a few rows at a time. Their activations stay in the
/// first-level cache, unlike those of single operators. Equal to the plain operators but for
/// rounding.
[[nodiscard]] at::Tensor perceptron(const at::Tensor& x, const PerceptronParameters&,
                                    const at::Tensor& shared = {}, const at::Tensor& of = {});
/// The same by plain operators, on any device.
[[nodiscard]] at::Tensor plain_perceptron(const at::Tensor& x, const PerceptronParameters&,
                                          const at::Tensor& shared = {}, const at::Tensor& of = {});

}  // namespace park::agents
