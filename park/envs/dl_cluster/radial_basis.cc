#include "park/envs/dl_cluster/radial_basis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace park::dl_cluster {
namespace {

double distance(double servers, double workers, const SpeedPoint& p) {
  const double ds = servers - p.servers, dw = workers - p.workers;
  return std::sqrt(ds * ds + dw * dw);
}

/// Solves a x = b by Gaussian elimination with partial pivoting; x replaces b. a is [n, n] by rows.
void solve(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
}

}  // namespace

RadialBasis::RadialBasis(std::span<const SpeedPoint> points)
    : points_(points.begin(), points.end()) {
  std::vector<double> distances;
  distances.reserve(points_.size() * points_.size());
  for (const SpeedPoint& p : points_) {
    for (const SpeedPoint& q : points_) distances.push_back(distance(p.servers, p.workers, q));
    weights_.push_back(p.samples_per_s);
  }
  solve(distances, weights_);
}

double RadialBasis::at(double servers, double workers) const noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i)
    sum += weights_[i] * distance(servers, workers, points_[i]);
  return sum;
}

}  // namespace park::dl_cluster
