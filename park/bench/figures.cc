#include "park/bench/figures.h"

#include <cmath>

#include "park/bench/bootstrap.h"

namespace park::bench {
namespace {

/// By episode: 1 where the first is better, 0.5 where both are equal; undefined where one is.
std::vector<double> improvements(std::span<const double> a, std::span<const double> b, bool lower) {
  std::vector<double> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool undefined = std::isnan(a[i]) || std::isnan(b[i]);
    const double better = (lower ? a[i] < b[i] : a[i] > b[i]) ? 1 : 0;
    all.push_back(undefined ? kUndefined : a[i] == b[i] ? 0.5 : better);
  }
  return all;
}

}  // namespace

MetricFigures metric_figures(std::span<const double> values) {
  const Strata strata = sorted_strata({{values.begin(), values.end()}});
  const std::vector<Interval> intervals = bootstrap(strata, {&mean_of, &interquartile_mean});
  return {.summary = summarize(values),
          .mean_bootstrap = intervals[0],
          .iqm = interquartile_mean(strata),
          .iqm_bootstrap = intervals[1]};
}

Comparison compare(const BenchResults& results, std::size_t policy, std::size_t against,
                   std::size_t metric) {
  const Entry &a = results.entries[policy], &b = results.entries[against];
  const bool lower = results.environments[a.env].metrics[metric].lower_is_better;
  const auto [of_a, of_b] = paired_values(a.episodes, b.episodes, metric);
  Comparison one{.policy = policy, .against = against, .metric = metric};
  one.difference = summarize_difference(of_a, of_b);
  std::vector<double> differences(of_a.size());
  for (std::size_t i = 0; i < of_a.size(); ++i) differences[i] = of_a[i] - of_b[i];
  one.difference_bootstrap = bootstrap(sorted_strata({differences}), {&mean_of})[0];
  const Strata better = sorted_strata({improvements(of_a, of_b, lower)});
  one.improvement = mean_of(better);
  one.improvement_bootstrap = bootstrap(better, {&mean_of})[0];
  return one;
}

std::vector<Comparison> comparisons(const BenchResults& results) {
  std::vector<Comparison> all;
  for (std::size_t e = 0; e < results.environments.size(); ++e) {
    const std::vector<std::size_t> entries = entries_of(results, e);
    for (std::size_t i = 0; i < entries.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool both_trained =
            results.entries[entries[i]].training && results.entries[entries[j]].training;
        if (both_trained) continue;
        for (const std::string& metric : results.suite.environments[e].metrics)
          all.push_back(compare(results, entries[i], entries[j],
                                metric_index(results.environments[e], metric)));
      }
  }
  return all;
}

std::vector<std::size_t> entries_of(const BenchResults& results, std::size_t env) {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < results.entries.size(); ++i)
    if (results.entries[i].env == env && !results.entries[i].episodes.empty()) entries.push_back(i);
  return entries;
}

std::size_t score_metric(const BenchResults& results, std::size_t env) {
  return metric_index(results.environments[env], results.suite.environments[env].metrics.front());
}

}  // namespace park::bench
