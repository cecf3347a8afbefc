#include "park/bench/summary.h"

#include <algorithm>
#include <cmath>

namespace park::bench {
namespace {

constexpr double kTiny = 1e-300, kPrecision = 1e-16;
constexpr int kMaxTerms = 10000;

/// The continued fraction of the incomplete beta function by Lentz's method (Press et al.,
/// Numerical Recipes, section 6.4). Converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  auto guarded = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0;
  double d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
  double h = d;
  for (int m = 1; m <= kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / guarded(1.0 + even * d);
    c = guarded(1.0 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / guarded(1.0 + odd * d);
    c = guarded(1.0 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1.0) < kPrecision) break;
  }
  return h;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log_front) * beta_fraction(a, b, x) / a;
  return 1 - std::exp(log_front) * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double stable_sum(std::span<const double> values) {
  double sum = 0, lost = 0;
  for (const double v : values) {
    const double next = sum + v;
    lost += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  return std::isfinite(sum) ? sum + lost : sum;
}

Summary summarize(std::span<const double> values) {
  Summary result{.count = values.size()};
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  result.mean = stable_sum(values) / n;
  if (values.size() < 2 || !std::isfinite(result.mean)) return result;
  std::vector<double> squares(values.size());
  std::transform(values.begin(), values.end(), squares.begin(), [&](double v) {
    const double off = v - result.mean;
    return off * off;
  });
  result.sd = std::sqrt(stable_sum(squares) / (n - 1));
  const double half = student_quantile(0.975, n - 1) * result.sd / std::sqrt(n);
  result.ci95 = {result.mean - half, result.mean + half};
  return result;
}

Summary summarize_difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = a[i] - b[i];
  return summarize(differences);
}

double quantile(std::span<const double> values, double q) {
  if (values.empty()) return kUndefined;
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
    return kUndefined;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double part = position - static_cast<double>(below);
  if (part == 0) return sorted[below];
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double student_cdf(double t, double freedom) {
  const double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double freedom) {
  if (p < 0.5) return -student_quantile(1 - p, freedom);
  double high = 1;
  while (student_cdf(high, freedom) < p) high *= 2;
  double low = 0;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_cdf(middle, freedom) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace park::bench
