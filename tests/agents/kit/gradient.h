#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace park::agents::test {

/// Numbers in [-1, 1), the same ones for the same seed.
inline at::Tensor numbers(at::IntArrayRef sizes, std::uint64_t seed) {
  at::Tensor t = at::empty(sizes);
  float* to = t.data_ptr<float>();
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    to[i] = static_cast<float>(seed >> 40) / 8388608.0f - 1.0f;
  }
  return t;
}

constexpr double kFar = 1e300;

/// The slope of a function of which three values are known, `step` apart. It is the central
/// difference or the difference of one side, whichever is nearest to a gradient. The difference of
/// one side is right where a rectifier's kink is on the other.
inline double nearest_slope(double gradient, double less, double here, double more, double step) {
  double nearest = (more - less) / (2 * step);
  for (const double side : {(more - here) / step, (here - less) / step})
    if (std::abs(side - gradient) < std::abs(nearest - gradient)) nearest = side;
  return nearest;
}

/// Compares the gradient of a scalar function of one tensor with finite differences.
inline void expect_gradient(const std::function<at::Tensor(const at::Tensor&)>& f,
                            const at::Tensor& at, float step = 1e-2f, double tolerance = 3e-3) {
  const at::Tensor x = at.detach().clone().requires_grad_(true);
  f(x).backward();
  const at::Tensor gradient = x.grad().clone();
  const at::NoGradGuard off;
  const double here = f(x.detach()).item<double>();
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    at::Tensor more = x.detach().clone(), less = x.detach().clone();
    more.data_ptr<float>()[i] += step;
    less.data_ptr<float>()[i] -= step;
    const double slope = nearest_slope(gradient.data_ptr<float>()[i], f(less).item<double>(), here,
                                       f(more).item<double>(), step);
    EXPECT_NEAR(gradient.data_ptr<float>()[i], slope, tolerance * std::max(1.0, std::abs(slope)))
        << "component " << i;
  }
}

}  // namespace park::agents::test
