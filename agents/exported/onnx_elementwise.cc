// Operators of ONNX that take number by number. Shapes are broadcast as NumPy does, which LibTorch's
// operators do.
#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ceil.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/div.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/round.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

#include "agents/exported/onnx_operators.h"
#include "park/core/error.h"

namespace park::agents {
namespace {

/// Of whole numbers a quotient is cut off towards zero.
Tensors divide(const OnnxCall& c) {
  const bool whole = at::isIntegralType(c[0].scalar_type(), true);
  return {whole ? at::div(c[0], c[1], "trunc") : at::div(c[0], c[1])};
}

Tensors clip(const OnnxCall& c) {
  at::Tensor x = c[0];
  if (c.has(1)) x = at::maximum(x, c[1]);
  if (c.has(2)) x = at::minimum(x, c[2]);
  return {x};
}

Tensors cast(const OnnxCall& c) {
  const std::int64_t to = c.integer("to", 0);
  for (const runs::OnnxType type :
       {runs::OnnxType::f32, runs::OnnxType::u8, runs::OnnxType::i32, runs::OnnxType::i64,
        runs::OnnxType::boolean, runs::OnnxType::f64})
    if (static_cast<std::int64_t>(type) == to) return {c[0].to(scalar_type(type))};
  throw Error(Errc::bad_file, "to: type " + std::to_string(to) +
                                  "; allowed are float, double, uint8, int32, int64 and bool");
}

Tensors gelu(const OnnxCall& c) { return {at::gelu(c[0], c.text("approximate", "none"))}; }

Tensors hard_sigmoid(const OnnxCall& c) {
  return {at::clamp(c[0] * c.number("alpha", 0.2) + c.number("beta", 0.5), 0, 1)};
}

at::Tensor sum_of(const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); }

template <at::Tensor (*fold)(const at::Tensor&, const at::Tensor&)>
Tensors folded(const OnnxCall& c) {
  at::Tensor x = c[0];
  for (std::size_t i = 1; i < c.inputs().size(); ++i) x = fold(x, c[i]);
  return {x};
}

void add_functions(OnnxOperators& all) {
  const auto same = [](const OnnxCall& c) -> Tensors { return {c[0]}; };
  all["Identity"] = {.run = same};
  all["Dropout"] = {.most = 3, .attributes = {"seed"}, .run = same};
  all["Relu"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::relu(c[0])}; }};
  all["Tanh"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::tanh(c[0])}; }};
  all["Sigmoid"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::sigmoid(c[0])}; }};
  all["Softplus"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::softplus(c[0])}; }};
  all["Exp"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::exp(c[0])}; }};
  all["Log"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::log(c[0])}; }};
  all["Sqrt"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::sqrt(c[0])}; }};
  all["Abs"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::abs(c[0])}; }};
  all["Neg"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::neg(c[0])}; }};
  all["Sign"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::sign(c[0])}; }};
  all["Floor"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::floor(c[0])}; }};
  all["Ceil"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::ceil(c[0])}; }};
  all["Round"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::round(c[0])}; }};
  all["Erf"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::erf(c[0])}; }};
  all["Reciprocal"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::reciprocal(c[0])}; }};
  all["Not"] = {.run = [](const OnnxCall& c) -> Tensors { return {at::logical_not(c[0])}; }};
  all["LeakyRelu"] = {.attributes = {"alpha"}, .run = [](const OnnxCall& c) -> Tensors {
                        return {at::leaky_relu(c[0], c.number("alpha", 0.01))};
                      }};
  all["Elu"] = {.attributes = {"alpha"}, .run = [](const OnnxCall& c) -> Tensors {
                  return {at::elu(c[0], c.number("alpha", 1))};
                }};
  all["HardSigmoid"] = {.attributes = {"alpha", "beta"}, .run = hard_sigmoid};
  all["Gelu"] = {.attributes = {"approximate"}, .run = gelu};
  all["Clip"] = {.most = 3, .run = clip};
  all["Cast"] = {.attributes = {"to", "saturate"}, .run = cast};
}

OnnxOperator of_two(Tensors (*run)(const OnnxCall&)) { return {.least = 2, .most = 2, .run = run}; }

}  // namespace

void add_elementwise_operators(OnnxOperators& all) {
  add_functions(all);
  all["Add"] = of_two([](const OnnxCall& c) -> Tensors { return {at::add(c[0], c[1])}; });
  all["Sub"] = of_two([](const OnnxCall& c) -> Tensors { return {at::sub(c[0], c[1])}; });
  all["Mul"] = of_two([](const OnnxCall& c) -> Tensors { return {at::mul(c[0], c[1])}; });
  all["Div"] = of_two(divide);
  all["Pow"] = of_two(
      [](const OnnxCall& c) -> Tensors { return {at::pow(c[0], c[1]).to(c[0].scalar_type())}; });
  all["Equal"] = of_two([](const OnnxCall& c) -> Tensors { return {at::eq(c[0], c[1])}; });
  all["Less"] = of_two([](const OnnxCall& c) -> Tensors { return {at::lt(c[0], c[1])}; });
  all["LessOrEqual"] = of_two([](const OnnxCall& c) -> Tensors { return {at::le(c[0], c[1])}; });
  all["Greater"] = of_two([](const OnnxCall& c) -> Tensors { return {at::gt(c[0], c[1])}; });
  all["GreaterOrEqual"] = of_two([](const OnnxCall& c) -> Tensors { return {at::ge(c[0], c[1])}; });
  all["And"] = of_two([](const OnnxCall& c) -> Tensors { return {at::logical_and(c[0], c[1])}; });
  all["Or"] = of_two([](const OnnxCall& c) -> Tensors { return {at::logical_or(c[0], c[1])}; });
  all["Where"] = {.least = 3, .most = 3, .run = [](const OnnxCall& c) -> Tensors {
                    return {at::where(c[0], c[1], c[2])};
                  }};
  constexpr std::size_t kMany = 1000;
  all["Min"] = {.most = kMany, .run = folded<at::minimum>};
  all["Max"] = {.most = kMany, .run = folded<at::maximum>};
  all["Sum"] = {.most = kMany, .run = folded<sum_of>};
}

}  // namespace park::agents
