#include "park/bench/aggregate.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "park/bench/summary.h"

namespace park::bench {
namespace {

constexpr double kQuarter = 0.25 + 1e-9;  // sums of weights round

struct Weighted {
  double value, weight;
};

/// All values, ascending; the weights add up to 1.
std::vector<Weighted> pooled(const Strata& strata) {
  std::vector<Weighted> all;
  for (const auto& stratum : strata) {
    const double weight = 1 / static_cast<double>(strata.size() * stratum.size());
    for (const double value : stratum) all.push_back({value, weight});
  }
  std::ranges::sort(all, {}, &Weighted::value);
  return all;
}

/// How many of the first values lie wholly in a quarter of the weight.
template <class Range>
std::ptrdiff_t in_a_quarter(const Range& values) {
  double weight = 0;
  std::ptrdiff_t count = 0;
  for (const Weighted& one : values) {
    weight += one.weight;
    if (weight > kQuarter) break;
    ++count;
  }
  return count;
}

double weighted_mean(std::span<const Weighted> values) {
  std::vector<double> products, weights;
  for (const Weighted& one : values) {
    products.push_back(one.weight * one.value);
    weights.push_back(one.weight);
  }
  return values.empty() ? kUndefined : stable_sum(products) / stable_sum(weights);
}

double mean(std::span<const double> values) {
  return values.empty() ? kUndefined : stable_sum(values) / static_cast<double>(values.size());
}

std::vector<double> means_of(const Strata& strata) {
  std::vector<double> means;
  for (const auto& stratum : strata) means.push_back(mean(stratum));
  return means;
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

double mean_of(const Strata& strata) { return mean(means_of(strata)); }

double median_of_means(const Strata& strata) { return quantile(means_of(strata), 0.5); }

double interquartile_mean(const Strata& strata) {
  if (strata.size() == 1) {  // the same without weights, and without their rounding
    const std::span<const double> values = strata.front();
    const std::size_t cut = values.size() / 4;
    return mean(values.subspan(cut, values.size() - 2 * cut));
  }
  const std::vector<Weighted> all = pooled(strata);
  const auto low = in_a_quarter(all), high = in_a_quarter(std::views::reverse(all));
  return weighted_mean(std::span(all.begin() + low, all.end() - high));
}

double optimality_gap(const Strata& strata) {
  Strata capped = strata;
  for (auto& stratum : capped)
    for (double& value : stratum) value = std::min(value, 1.0);
  return 1 - mean_of(capped);
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
