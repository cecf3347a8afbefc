// Operators of ONNX on rows and matrices: products, sums along axes, softmax, normalisation.
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

#include <numeric>

#include "agents/exported/onnx_operators.h"
#include "park/core/error.h"

namespace park::agents {
namespace {

Tensors gemm(const OnnxCall& c) {
  const at::Tensor a = c.integer("transA", 0) != 0 ? c[0].t() : c[0];
  const at::Tensor b = c.integer("transB", 0) != 0 ? c[1].t() : c[1];
  at::Tensor y = at::matmul(a, b);
  if (const double alpha = c.number("alpha", 1); alpha != 1) y = at::mul(y, alpha);
  if (c.has(2)) y = at::add(y, c[2], c.number("beta", 1));
  return {y};
}

/// Attribute or input `axes`; all of them without one.
std::vector<std::int64_t> axes_of(const OnnxCall& c) {
  std::vector<std::int64_t> axes = c.has(1) ? c.list(1) : c.integers("axes");
  if (!axes.empty()) return axes;
  if (c.integer("noop_with_empty_axes", 0) != 0) return {};
  axes.resize(static_cast<std::size_t>(c[0].dim()));
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  return axes;
}

template <class Reduce>
Tensors reduced(const OnnxCall& c, Reduce&& reduce) {
  const std::vector<std::int64_t> axes = axes_of(c);
  if (axes.empty()) return {c[0]};
  return {reduce(c[0], axes, c.integer("keepdims", 1) != 0)};
}

using Axes = std::vector<std::int64_t>;

Tensors reduce_mean(const OnnxCall& c) {
  return reduced(c, [](const at::Tensor& x, const Axes& a, bool k) { return at::mean(x, a, k); });
}
Tensors reduce_sum(const OnnxCall& c) {
  return reduced(c, [](const at::Tensor& x, const Axes& a, bool k) { return at::sum(x, a, k); });
}
Tensors reduce_max(const OnnxCall& c) {
  return reduced(c, [](const at::Tensor& x, const Axes& a, bool k) { return at::amax(x, a, k); });
}
Tensors reduce_min(const OnnxCall& c) {
  return reduced(c, [](const at::Tensor& x, const Axes& a, bool k) { return at::amin(x, a, k); });
}

/// Over the axes from `axis` on; mean and inverse deviation as further outputs.
Tensors layer_normalisation(const OnnxCall& c) {
  const at::Tensor x = c[0];
  const std::int64_t axis = c.integer("axis", -1);
  Axes axes;
  for (std::int64_t a = axis < 0 ? axis + x.dim() : axis; a < x.dim(); ++a) axes.push_back(a);
  const at::Tensor mean = at::mean(x, axes, true), centred = at::sub(x, mean);
  const at::Tensor inverse =
      at::rsqrt(at::mean(at::mul(centred, centred), axes, true) + c.number("epsilon", 1e-5));
  at::Tensor y = at::mul(at::mul(centred, inverse), c[1]);
  if (c.has(2)) y = at::add(y, c[2]);
  return {y, mean, inverse};
}

/// Of a trained network: by the mean and variance that the file has for each channel.
Tensors batch_normalisation(const OnnxCall& c) {
  if (c.integer("training_mode", 0) != 0)
    throw Error(Errc::bad_file, "training_mode: is 1; allowed is 0");
  Axes shape(static_cast<std::size_t>(c[0].dim()), 1);
  if (shape.size() > 1) shape[1] = -1;
  const auto of_channel = [&](std::size_t i) { return c[i].reshape(shape); };
  const at::Tensor inverse = at::rsqrt(of_channel(4) + c.number("epsilon", 1e-5));
  return {at::add(at::mul(at::mul(at::sub(c[0], of_channel(3)), inverse), of_channel(1)),
                  of_channel(2))};
}

Tensors arg_max(const OnnxCall& c) {
  return {at::argmax(c[0], c.integer("axis", 0), c.integer("keepdims", 1) != 0)};
}

}  // namespace

void add_matrix_operators(OnnxOperators& all) {
  all["Gemm"] = {
      .least = 2, .most = 3, .attributes = {"alpha", "beta", "transA", "transB"}, .run = gemm};
  all["MatMul"] = {.least = 2, .most = 2, .run = [](const OnnxCall& c) -> Tensors {
                     return {at::matmul(c[0], c[1])};
                   }};
  all["Softmax"] = {.attributes = {"axis"}, .run = [](const OnnxCall& c) -> Tensors {
                      return {at::softmax(c[0], c.integer("axis", -1))};
                    }};
  all["LogSoftmax"] = {.attributes = {"axis"}, .run = [](const OnnxCall& c) -> Tensors {
                         return {at::log_softmax(c[0], c.integer("axis", -1))};
                       }};
  const std::vector<std::string> of_reduction = {"axes", "keepdims", "noop_with_empty_axes"};
  all["ReduceMean"] = {.most = 2, .attributes = of_reduction, .run = reduce_mean};
  all["ReduceSum"] = {.most = 2, .attributes = of_reduction, .run = reduce_sum};
  all["ReduceMax"] = {.most = 2, .attributes = of_reduction, .run = reduce_max};
  all["ReduceMin"] = {.most = 2, .attributes = of_reduction, .run = reduce_min};
  all["LayerNormalization"] = {.least = 2,
                               .most = 3,
                               .attributes = {"axis", "epsilon", "stash_type"},
                               .run = layer_normalisation};
  all["BatchNormalization"] = {.least = 5,
                               .most = 5,
                               .attributes = {"epsilon", "momentum", "training_mode"},
                               .run = batch_normalisation};
  all["ArgMax"] = {.attributes = {"axis", "keepdims"}, .run = arg_max};
}

}  // namespace park::agents
