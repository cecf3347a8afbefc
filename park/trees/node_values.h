// Arithmetic of compiled features, shared by those who compute them: Features for the items of a
// row, RowFeatures for the rows of a batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "park/trees/program.h"

namespace park::trees {

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

/// The operation of a node on the columns of its arguments; `out` has its size.
inline void fill_operation(const Node& node, const std::vector<std::vector<double>>& columns,
                           std::vector<double>& out) {
  std::copy_n(columns[node.args[0]].begin(), out.size(), out.begin());
  if (node.operation == Expression::Kind::negative)
    for (double& v : out) v = -v;
  if (node.operation == Expression::Kind::log)
    for (double& v : out) v = std::log(v);
  for (std::size_t a = 1; a < node.args.size(); ++a)
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = apply(node.operation, out[i], columns[node.args[a]][i]);
}

}  // namespace park::trees
