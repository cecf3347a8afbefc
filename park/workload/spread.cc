#include "park/workload/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::workload {
namespace {

using Shape = std::array<double, Spread::kSamples>;

constexpr double kRange = 9;  // of z: the probability beyond is below 1e-18

/// Halves an interval until it holds one number. REQUIRES `above` to be false, then true.
template <class Above>
double boundary(double low, double high, Above&& above) {
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
    (above(middle) ? high : low) = middle;
  }
  return high;
}

const Shape& quantiles() {
  static const Shape kQuantiles = [] {
    Shape z{};
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(z.size()));
    }
    return z;
  }();
  return kQuantiles;
}

Shape shape_of(double s) {
  Shape shape = quantiles();
  for (double& x : shape) x = std::exp(s * x);
  const double mean = std::reduce(shape.begin(), shape.end()) / static_cast<double>(shape.size());
  for (double& x : shape) x /= mean;
  return shape;
}

double variation_of(const Shape& shape) {
  double squares = 0;
  for (const double x : shape) squares += (x - 1) * (x - 1);
  return std::sqrt(squares / static_cast<double>(shape.size()));
}

}  // namespace

double normal_probability(double z) noexcept { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double p) noexcept {
  if (p > 0.5) return -normal_quantile(1 - p);  // where the probabilities are exact
  return boundary(-kRange, 0, [p](double z) { return normal_probability(z) >= p; });
}

Spread::Spread(double variation) : constant_(variation <= 0) {
  constexpr double kLargest = 8;  // gives a variation of more than kMost
  const auto above = [variation](double s) { return variation_of(shape_of(s)) >= variation; };
  shape_ = shape_of(constant_ ? 0 : boundary(0, kLargest, above));
}

std::vector<std::uint32_t> Spread::samples_ms(double mean_s) const {
  const auto whole = [mean_s](double x) {
    return static_cast<std::uint32_t>(std::max(1.0, std::round(x * mean_s * 1e3)));
  };
  if (constant_) return {whole(1)};
  std::vector<std::uint32_t> samples;
  for (const double x : shape_) samples.push_back(whole(x));
  return samples;
}

}  // namespace park::workload
