#pragma once

#include <span>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/bench/summary.h"

namespace park::bench {

/// Statistics of one metric of one policy over the episodes. Intervals are of 95 %.
struct MetricFigures {
  Summary summary{};
  Interval mean_bootstrap{};
  double iqm = kUndefined;  ///< interquartile mean
  Interval iqm_bootstrap{};
};
[[nodiscard]] MetricFigures metric_figures(std::span<const double> values);

/// Two policies on the same episodes of an environment, by one of its metrics.
struct Comparison {
  std::size_t policy = 0, against = 0;  ///< entries
  std::size_t metric = 0;
  Summary difference{};  ///< policy - against, episode by episode
  Interval difference_bootstrap{};
  /// The probability that it is better on an episode: the share of the episodes in which it is,
  /// equal ones half.
  double improvement = kUndefined;
  Interval improvement_bootstrap{};
};
[[nodiscard]] Comparison compare(const BenchResults&, std::size_t policy, std::size_t against,
                                 std::size_t metric);

/// All pairs of the policies that finished episodes of the same environment, by each metric that
/// the suite reports. Pairs of trained policies are left out, because their agents are compared
/// over their seeds.
[[nodiscard]] std::vector<Comparison> comparisons(const BenchResults&);

/// The entries of an environment with at least one finished episode.
[[nodiscard]] std::vector<std::size_t> entries_of(const BenchResults&, std::size_t env);

/// The number of the metric that scores count in: the first that the suite names.
[[nodiscard]] std::size_t score_metric(const BenchResults&, std::size_t env);

}  // namespace park::bench
