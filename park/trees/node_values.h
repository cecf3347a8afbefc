// Arithmetic of compiled features, shared by those who compute them: Features for the items of a
// row, RowFeatures for the rows of a batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "park/core/space.h"
#include "park/trees/expression.h"

namespace park::trees {

/// Calls with a value of the type of a leaf.
template <class Call>
void with_type(DType dtype, Call&& call) {
  switch (dtype) {
    case DType::u8:
      return call(std::uint8_t{});
    case DType::i32:
      return call(std::int32_t{});
    case DType::i64:
      return call(std::int64_t{});
    case DType::f32:
      return call(float{});
    case DType::f64:
      return call(double{});
  }
}

[[nodiscard]] inline double or_zero(double v) { return std::isnan(v) ? 0 : v; }

[[nodiscard]] inline float narrowed(double v) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(v, -kMost, kMost));
}

/// The result of an operation on two numbers; one with more arguments takes them one after another.
[[nodiscard]] inline double apply(Expression::Kind operation, double a, double b) {
  using Kind = Expression::Kind;
  switch (operation) {
    case Kind::sum:
      return a + b;
    case Kind::difference:
      return a - b;
    case Kind::product:
      return a * b;
    case Kind::quotient:
      return a / b;
    case Kind::min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

/// The operation of a node: `out`, which holds the first argument, takes the others in; argument(a) is
/// the column of the a-th one, from 1.
template <class Column, class Argument>
void fill_operation(Expression::Kind operation, std::size_t arguments, Argument&& argument,
                    Column& out) {
  if (operation == Expression::Kind::negative)
    for (double& v : out) v = -v;
  if (operation == Expression::Kind::log)
    for (double& v : out) v = std::log(v);
  for (std::size_t a = 1; a < arguments; ++a) {
    const auto& other = argument(a);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = apply(operation, out[i], other[i]);
  }
}

}  // namespace park::trees
