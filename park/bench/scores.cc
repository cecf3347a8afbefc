#include "park/bench/scores.h"

#include <cmath>

#include "park/bench/figures.h"

namespace park::bench {
namespace {

double percent(double part, double whole) { return whole == 0 ? kUndefined : 100 * part / whole; }

}  // namespace

double Scale::score(double mean) const noexcept {
  return one == zero ? kUndefined : (mean - zero) / (one - zero);
}

double Scale::percent_better(double mean) const noexcept {
  return percent(lower ? one - mean : mean - one, std::abs(one));
}

double Scale::percent_to_bound(double mean) const noexcept {
  const bool better = lower ? limit < one : limit > one;
  return better ? percent(mean - one, limit - one) : kUndefined;
}

Scale Scale::with_means(const std::function<double(std::size_t)>& mean) const {
  Scale scale = *this;
  scale.zero = mean(random);
  scale.one = kUndefined;
  for (const std::size_t i : baselines) {
    const double value = mean(i);
    if (std::isnan(scale.one) || (lower ? value < scale.one : value > scale.one))
      scale.one = value, scale.best = i;
  }
  if (bound) scale.limit = mean(*bound);
  return scale;
}

std::optional<Scale> scale_of(const BenchResults& results, std::size_t env) {
  const std::size_t metric = score_metric(results, env);
  const auto mean = [&](std::size_t i) {
    return summarize(metric_values(results.entries[i].episodes, metric)).mean;
  };
  Scale scale{.env = env,
              .metric = metric,
              .lower = results.environments[env].metrics[metric].lower_is_better,
              .random = results.entries.size()};
  for (const std::size_t i : entries_of(results, env)) {
    const Entry& entry = results.entries[i];
    if (entry.baseline && !entry.failed.empty()) return {};
    if (!std::isfinite(mean(i))) continue;
    if (entry.bound && entry.failed.empty()) scale.bound = i;
    if (!entry.baseline) continue;
    scale.baselines.push_back(i);
    if (entry.policy == "random") scale.random = i;
  }
  if (scale.random == results.entries.size()) return {};
  scale = scale.with_means(mean);
  if (scale.zero == scale.one) return {};
  return scale;
}

}  // namespace park::bench
