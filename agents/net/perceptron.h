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

/// The perceptron on every row of x [N, in] f32; [N, out]. Rows that have much in common may share
/// a part of the first layer's sums: shared [G, width of that layer], row of[r] for row r of x;
/// what they have in common is then multiplied with weights only once. On the CPU one node of the
/// graph whose forward and backward go over a few rows at a time: their activations stay in the
/// first cache, which operator by operator they do not. Equal to the plain operators but for
/// rounding.
[[nodiscard]] at::Tensor perceptron(const at::Tensor& x, const PerceptronParameters&,
                                    const at::Tensor& shared = {}, const at::Tensor& of = {});
/// The same by plain operators, on any device.
[[nodiscard]] at::Tensor plain_perceptron(const at::Tensor& x, const PerceptronParameters&,
                                          const at::Tensor& shared = {}, const at::Tensor& of = {});

}  // namespace park::agents
