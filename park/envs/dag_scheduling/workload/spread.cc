#include "park/envs/dag_scheduling/workload/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace park::dag_scheduling::workload {
namespace {

using Shape = std::array<double, Spread::kSamples>;

const Shape& quantiles() {
  static const Shape all = [] {
    Shape z{};
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(z.size()));
    }
    return z;
  }();
  return all;
}

Shape shape_of(double s) {
  Shape shape = quantiles();
  for (double& x : shape) x = std::exp(s * x);
  const double mean = std::reduce(shape.begin(), shape.end()) / static_cast<double>(shape.size());
  for (double& x : shape) x /= mean;
  return shape;
}

/// Of exp(s z): the logarithm of the mean square over the squared mean, which is log(1 + variation
/// squared), and its derivative.
std::pair<double, double> log_ratio(double s) {
  double sum = 0, squares = 0, sum_z = 0, squares_z = 0;
  for (const double z : quantiles()) {
    const double x = std::exp(s * z);
    sum += x;
    squares += x * x;
    sum_z += z * x;
    squares_z += z * x * x;
  }
  constexpr auto kCount = static_cast<double>(Spread::kSamples);
  return {std::log(squares * kCount / (sum * sum)), 2 * (squares_z / squares - sum_z / sum)};
}

/// By Newton's method, halving the interval where that leaves it.
double solve(double variation) {
  constexpr double kLargest = 8;  // gives a variation above Spread::kMost
  const double wanted = std::log1p(variation * variation);
  double low = 0, high = kLargest, s = std::sqrt(wanted);  // right for many numbers
  for (int step = 0; step < 100; ++step) {
    const auto [value, slope] = log_ratio(s);
    (value < wanted ? low : high) = s;
    double next = s + (wanted - value) / slope;
    if (!(low < next && next < high)) next = (low + high) / 2;
    const bool settled = std::abs(next - s) <= 1e-14 * s;
    s = next;
    if (settled) break;
  }
  return s;
}

}  // namespace

double normal_probability(double z) noexcept { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double p) noexcept {
  if (p > 0.5) return -normal_quantile(1 - p);  // where the probabilities are exact
  double low = -9, high = 0;                    // the probability below is less than 1e-18
  for (double z = low / 2; low < z && z < high; z = (low + high) / 2) {
    (normal_probability(z) >= p ? high : low) = z;
  }
  return high;
}

Spread::Spread(double variation)
    : shape_(shape_of(variation > 0 ? solve(variation) : 0)), constant_(variation <= 0) {}

std::vector<std::uint32_t> Spread::samples_ms(double mean_s) const {
  const auto whole = [mean_s](double x) {
    return static_cast<std::uint32_t>(std::max(1.0, std::round(x * mean_s * 1e3)));
  };
  if (constant_) return {whole(1)};
  std::vector<std::uint32_t> samples;
  for (const double x : shape_) samples.push_back(whole(x));
  return samples;
}

}  // namespace park::dag_scheduling::workload
