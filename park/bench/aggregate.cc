#include "park/bench/aggregate.h"

#include <algorithm>
#include <cmath>

#include "park/bench/summary.h"

namespace park::bench {
namespace {

std::vector<double> pooled(const Strata& strata) {
  std::vector<double> all;
  for (const auto& stratum : strata) all.insert(all.end(), stratum.begin(), stratum.end());
  return all;
}

double mean(std::span<const double> values) {
  return values.empty() ? kUndefined : stable_sum(values) / static_cast<double>(values.size());
}

}  // namespace

Strata sorted_strata(Strata strata) {
  for (auto& stratum : strata) {
    const bool defined = std::ranges::none_of(stratum, [](double v) { return std::isnan(v); });
    if (!defined) stratum.clear();
    std::ranges::sort(stratum);
  }
  if (std::ranges::any_of(strata, [](const auto& stratum) { return stratum.empty(); })) return {};
  return strata;
}

double mean_of(const Strata& strata) {
  return strata.size() == 1 ? mean(strata.front()) : mean(pooled(strata));
}

double median_of_means(const Strata& strata) {
  std::vector<double> means;
  for (const auto& stratum : strata) means.push_back(mean(stratum));
  return quantile(means, 0.5);
}

double interquartile_mean(const Strata& strata) {
  std::vector<double> all = pooled(strata);
  if (strata.size() > 1) std::ranges::sort(all);
  const std::size_t cut = all.size() / 4;
  return mean(std::span(all).subspan(cut, all.size() - 2 * cut));
}

double optimality_gap(const Strata& strata) {
  std::vector<double> all = pooled(strata);
  for (double& value : all) value = std::min(value, 1.0);
  return 1 - mean(all);
}

double probability_above(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return kUndefined;
  std::size_t below = 0, up_to = 0;  // values of y
  double wins = 0;
  for (const double value : x) {
    while (below < y.size() && y[below] < value) ++below;
    up_to = std::max(up_to, below);
    while (up_to < y.size() && y[up_to] <= value) ++up_to;
    wins += 0.5 * static_cast<double>(below + up_to);
  }
  return wins / (static_cast<double>(x.size()) * static_cast<double>(y.size()));
}

std::vector<double> profile(const Strata& strata, std::span<const double> limits) {
  std::vector<double> shares(limits.size(), strata.empty() ? kUndefined : 0.0);
  for (const auto& stratum : strata)
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto above = stratum.end() - std::ranges::upper_bound(stratum, limits[i]);
      shares[i] += static_cast<double>(above) / static_cast<double>(stratum.size()) /
                   static_cast<double>(strata.size());
    }
  return shares;
}

}  // namespace park::bench
