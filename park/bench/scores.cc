#include "park/bench/scores.h"

#include <algorithm>
#include <cmath>

#include "park/bench/bootstrap.h"
#include "park/bench/figures.h"

namespace park::bench {
namespace {

constexpr int kLimits = 61;
constexpr double kLowest = -1, kHighest = 2;

std::vector<Estimate> estimates(const Strata& scores, const std::vector<Statistic>& statistics) {
  const std::vector<Interval> intervals = bootstrap(scores, statistics);
  std::vector<Estimate> all;
  for (std::size_t i = 0; i < statistics.size(); ++i)
    all.push_back({statistics[i](scores), intervals[i]});
  return all;
}

}  // namespace

std::optional<Scale> scale_of(const BenchResults& results, std::size_t env) {
  Scale scale{.env = env, .metric = score_metric(results, env)};
  const bool lower = results.environments[env].metrics[scale.metric].lower_is_better;
  for (const std::size_t i : entries_of(results, env)) {
    const Entry& entry = results.entries[i];
    if (!entry.baseline) continue;
    const double mean = summarize(metric_values(entry.episodes, scale.metric)).mean;
    if (entry.policy == "random") scale.zero = mean, scale.random = i;
    if (std::isnan(scale.one) || (lower ? mean < scale.one : mean > scale.one))
      scale.one = mean, scale.best = i;
  }
  if (!std::isfinite(scale.zero) || !std::isfinite(scale.one) || scale.zero == scale.one) return {};
  return scale;
}

std::vector<PolicyScores> policy_scores(const BenchResults& results) {
  std::vector<PolicyScores> all;
  for (std::size_t e = 0; e < results.environments.size(); ++e) {
    const std::optional<Scale> scale = scale_of(results, e);
    if (!scale) continue;
    for (const std::size_t i : entries_of(results, e)) {
      const Entry& entry = results.entries[i];
      std::vector<double> scores = metric_values(entry.episodes, scale->metric);
      for (double& value : scores) value = scale->score(value);
      Strata sorted = sorted_strata({std::move(scores)});
      if (sorted.empty()) continue;
      auto at = std::ranges::find(all, entry.policy, &PolicyScores::policy);
      if (at == all.end())
        at = all.insert(at, {.policy = entry.policy, .environments = {}, .scores = {}});
      at->environments.push_back(e);
      at->scores.push_back(std::move(sorted.front()));
    }
  }
  return all;
}

Aggregates aggregates(const PolicyScores& policy) {
  const auto all =
      estimates(policy.scores, {&mean_of, &median_of_means, &interquartile_mean, &optimality_gap});
  return {.mean = all[0], .median = all[1], .iqm = all[2], .optimality_gap = all[3]};
}

std::vector<double> profile_limits() {
  std::vector<double> limits;
  for (int i = 0; i < kLimits; ++i)
    limits.push_back(kLowest + (kHighest - kLowest) * i / (kLimits - 1));
  return limits;
}

std::vector<Estimate> score_profile(const PolicyScores& policy, std::span<const double> limits) {
  std::vector<Statistic> statistics;
  for (const double limit : limits)
    statistics.emplace_back([limit](const Strata& s) { return profile(s, {&limit, 1})[0]; });
  return estimates(policy.scores, statistics);
}

}  // namespace park::bench
