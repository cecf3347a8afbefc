#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "park/bench/aggregate.h"
#include "park/bench/bench_results.h"
#include "park/bench/summary.h"

namespace park::bench {

/// The scale of scores in an environment: 0 is the mean of random, 1 that of the baseline with the
/// best mean.
struct Scale {
  std::size_t env = 0, metric = 0;
  std::size_t random = 0, best = 0;  ///< entries
  double zero = kUndefined, one = kUndefined;

  /// Above 1 is better than the best heuristic.
  [[nodiscard]] double score(double value) const noexcept { return (value - zero) / (one - zero); }
};
/// Nothing if random is no baseline, has no episode, or is the best one itself.
[[nodiscard]] std::optional<Scale> scale_of(const BenchResults&, std::size_t env);

/// A policy in all environments of the suite in which it has episodes and scores are defined.
struct PolicyScores {
  std::string policy{};
  std::vector<std::size_t> environments{};
  Strata scores{};  ///< scores of episodes, by environment, ascending
};
/// The scores in the order of the entries.
[[nodiscard]] std::vector<PolicyScores> policy_scores(const BenchResults&);

/// A figure of scores with its 95 % interval, by the bootstrap over environments' episodes.
struct Estimate {
  double value = kUndefined;
  Interval interval{};
};
struct Aggregates {
  Estimate mean{}, median{}, iqm{}, optimality_gap{};
};
[[nodiscard]] Aggregates aggregates(const PolicyScores&);

/// The limits at which profiles are taken.
[[nodiscard]] std::vector<double> profile_limits();
/// The share of the episodes with a score above each limit.
[[nodiscard]] std::vector<Estimate> score_profile(const PolicyScores&,
                                                  std::span<const double> limits);

}  // namespace park::bench
