#include "park/envs/dl_cluster/speed_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace park::dl_cluster {
namespace {

constexpr std::size_t kTerms = 5;
using Terms = std::array<double, kTerms>;

Terms terms_of(double servers, double workers) {
  return {1 / workers, 1, workers / servers, workers, servers};
}

/// The normal equations of sum over points of (sum over k of x_k term_k speed - 1)^2.
struct Normal {
  std::array<Terms, kTerms> product{};
  Terms target{};

  void add(const Terms& terms, double speed) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      target[i] += terms[i] * speed;
      for (std::size_t j = 0; j < kTerms; ++j) product[i][j] += terms[i] * terms[j] * speed * speed;
    }
  }
};

}  // namespace

double SpeedFit::samples_per_s(double servers, double workers) const noexcept {
  const Terms terms = terms_of(servers, workers);
  double step_s = 0;
  for (std::size_t k = 0; k < kTerms; ++k) step_s += weights[k] * terms[k];
  return step_s > 0 ? 1 / step_s : 0;
}

SpeedFit fit_speeds(std::span<const SpeedPoint> points) {
  constexpr int kRounds = 20'000;
  constexpr double kEnough = 1e-10;  // relative change of a round
  Normal normal;
  for (const SpeedPoint& p : points)
    if (p.samples_per_s > 0) normal.add(terms_of(p.servers, p.workers), p.samples_per_s);
  SpeedFit fit;
  Terms& x = fit.weights;
  for (int round = 0; round < kRounds; ++round) {
    double moved = 0;
    for (std::size_t k = 0; k < kTerms; ++k) {
      if (normal.product[k][k] <= 0) continue;
      double rest = normal.target[k];
      for (std::size_t j = 0; j < kTerms; ++j)
        if (j != k) rest -= normal.product[k][j] * x[j];
      const double next = std::max(0.0, rest / normal.product[k][k]);
      moved = std::max(moved, std::abs(next - x[k]) / (std::abs(next) + 1e-300));
      x[k] = next;
    }
    if (moved < kEnough) break;
  }
  return fit;
}

}  // namespace park::dl_cluster
