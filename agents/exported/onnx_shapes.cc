// Operators of ONNX that make, join, cut and reorder tensors.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/split.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <limits>

#include "agents/exported/onnx_operators.h"
#include "park/core/error.h"

namespace park::agents {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t place(std::int64_t axis, std::int64_t dimensions) {
  return axis < 0 ? axis + dimensions : axis;
}

/// 0 keeps the length of a dimension, unless zeros are allowed.
Tensors reshape(const OnnxCall& c) {
  List shape = c.list(1);
  if (c.integer("allowzero", 0) == 0)
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] == 0) shape[i] = c[0].size(static_cast<std::int64_t>(i));
  return {c[0].reshape(shape)};
}

Tensors flatten(const OnnxCall& c) {
  const std::int64_t axis = place(c.integer("axis", 1), c[0].dim());
  std::int64_t first = 1;
  for (std::int64_t i = 0; i < axis; ++i) first *= c[0].size(i);
  return {c[0].reshape({first, first == 0 ? 0 : c[0].numel() / first})};
}

Tensors squeeze(const OnnxCall& c) {
  at::Tensor x = c[0];
  if (!c.has(1)) return {x.squeeze()};
  List axes = c.list(1);
  for (std::int64_t& a : axes) a = place(a, x.dim());
  std::ranges::sort(axes, std::greater{});
  for (const std::int64_t a : axes) x = x.squeeze(a);
  return {x};
}

Tensors unsqueeze(const OnnxCall& c) {
  at::Tensor x = c[0];
  List axes = c.list(1);
  for (std::int64_t& a : axes) a = place(a, x.dim() + static_cast<std::int64_t>(axes.size()));
  std::ranges::sort(axes);
  for (const std::int64_t a : axes) x = x.unsqueeze(a);
  return {x};
}

Tensors transpose(const OnnxCall& c) {
  List order = c.integers("perm");
  if (order.empty())
    for (std::int64_t d = c[0].dim(); d-- > 0;) order.push_back(d);
  return {c[0].permute(order)};
}

Tensors slice(const OnnxCall& c) {
  const List starts = c.list(1), ends = c.list(2);
  const List axes = c.has(3) ? c.list(3) : List(), steps = c.has(4) ? c.list(4) : List();
  at::Tensor x = c[0];
  for (std::size_t i = 0; i < std::min(starts.size(), ends.size()); ++i) {
    const std::int64_t step = i < steps.size() ? steps[i] : 1;
    if (step < 1)
      throw Error(Errc::bad_file,
                  "steps: " + std::to_string(step) + "; allowed are whole numbers from 1 on");
    const std::int64_t axis = i < axes.size() ? axes[i] : static_cast<std::int64_t>(i);
    x = x.slice(axis, starts[i], ends[i], step);
  }
  return {x};
}

/// Rows of an axis by their numbers, of which negative ones count from the end.
Tensors gather(const OnnxCall& c) {
  const at::Tensor x = c[0], numbers = c[1].to(at::kLong);
  const std::int64_t axis = place(c.integer("axis", 0), x.dim()), length = x.size(axis);
  const at::Tensor from_start = at::where(numbers < 0, numbers + length, numbers);
  List shape(x.sizes().begin(), x.sizes().begin() + axis);
  shape.insert(shape.end(), numbers.sizes().begin(), numbers.sizes().end());
  shape.insert(shape.end(), x.sizes().begin() + axis + 1, x.sizes().end());
  return {at::index_select(x, axis, from_start.reshape({-1})).reshape(shape)};
}

Tensors split(const OnnxCall& c) {
  const std::int64_t axis = c.integer("axis", 0);
  if (c.has(1)) return at::split_with_sizes(c[0], c.list(1), axis);
  const auto parts = static_cast<std::int64_t>(c.outputs());
  return at::split(c[0], (c[0].size(axis) + parts - 1) / parts, axis);
}

Tensors expand(const OnnxCall& c) {
  List shape = c.list(1);
  const auto missing = c[0].dim() - static_cast<std::int64_t>(shape.size());
  if (missing > 0) shape.insert(shape.begin(), static_cast<std::size_t>(missing), 1);
  const std::int64_t before = static_cast<std::int64_t>(shape.size()) - c[0].dim();
  for (std::int64_t i = before; i < static_cast<std::int64_t>(shape.size()); ++i)
    if (shape[static_cast<std::size_t>(i)] == 1)
      shape[static_cast<std::size_t>(i)] = c[0].size(i - before);
  return {c[0].expand(shape)};
}

Tensors shape(const OnnxCall& c) {
  const std::int64_t n = c[0].dim(), most = std::numeric_limits<std::int64_t>::max();
  const auto within = [&](std::int64_t at) { return std::clamp(place(at, n), std::int64_t{0}, n); };
  const std::int64_t from = within(c.integer("start", 0)), to = within(c.integer("end", most));
  List sizes;
  for (std::int64_t i = from; i < to; ++i) sizes.push_back(c[0].size(i));
  return {at::tensor(sizes, at::kLong)};
}

Tensors constant(const OnnxCall& c) {
  if (const auto* const a = c.find("value")) return {onnx_tensor(a->tensor)};
  if (const auto* const a = c.find("value_float")) return {at::scalar_tensor(a->number)};
  if (const auto* const a = c.find("value_int")) return {at::scalar_tensor(a->integer, at::kLong)};
  if (const auto* const a = c.find("value_floats")) return {at::tensor(a->numbers)};
  if (const auto* const a = c.find("value_ints")) return {at::tensor(a->integers, at::kLong)};
  throw Error(Errc::bad_file, "has no value of numbers");
}

Tensors constant_of_shape(const OnnxCall& c) {
  const auto* const a = c.find("value");
  const at::Tensor value = a != nullptr ? onnx_tensor(a->tensor) : at::scalar_tensor(0.0f);
  return {value.reshape({}).expand(c.list(0)).clone()};
}

/// `values` are those of the others and of the one.
Tensors one_hot(const OnnxCall& c) {
  const std::int64_t depth = c[1].reshape({-1})[0].to(at::kLong).item<std::int64_t>();
  const at::Tensor numbers = c[0].to(at::kLong);
  const at::Tensor from_start = at::where(numbers < 0, numbers + depth, numbers);
  const std::int64_t axis = place(c.integer("axis", -1), numbers.dim() + 1);
  List along(static_cast<std::size_t>(numbers.dim() + 1), 1);
  along.at(static_cast<std::size_t>(axis)) = depth;
  const at::Tensor hot = at::eq(from_start.unsqueeze(axis), at::arange(depth).reshape(along));
  return {at::where(hot, c[2][1], c[2][0])};
}

}  // namespace

void add_shape_operators(OnnxOperators& all) {
  all["Concat"] = {.most = 1000, .attributes = {"axis"}, .run = [](const OnnxCall& c) -> Tensors {
                     return {at::cat(c.inputs(), c.integer("axis", 0))};
                   }};
  all["Reshape"] = {.least = 2, .most = 2, .attributes = {"allowzero"}, .run = reshape};
  all["Flatten"] = {.attributes = {"axis"}, .run = flatten};
  all["Squeeze"] = {.most = 2, .run = squeeze};
  all["Unsqueeze"] = {.least = 2, .most = 2, .run = unsqueeze};
  all["Transpose"] = {.attributes = {"perm"}, .run = transpose};
  all["Slice"] = {.least = 3, .most = 5, .run = slice};
  all["Gather"] = {.least = 2, .most = 2, .attributes = {"axis"}, .run = gather};
  all["Split"] = {.most = 2, .attributes = {"axis", "num_outputs"}, .run = split};
  all["Expand"] = {.least = 2, .most = 2, .run = expand};
  all["Shape"] = {.attributes = {"start", "end"}, .run = shape};
  all["Constant"] = {
      .least = 0,
      .most = 0,
      .attributes = {"value", "value_float", "value_int", "value_floats", "value_ints"},
      .run = constant};
  all["ConstantOfShape"] = {.attributes = {"value"}, .run = constant_of_shape};
  all["OneHot"] = {.least = 3, .most = 3, .attributes = {"axis"}, .run = one_hot};
}

}  // namespace park::agents
