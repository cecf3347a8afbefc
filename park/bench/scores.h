#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/bench/summary.h"

namespace park::bench {

/// What a policy's mean is measured by in an environment. A scale has the means of random, of the
/// best baseline and of the bound, in the metric that scores count in.
struct Scale {
  std::size_t env = 0, metric = 0;
  bool lower = true;                     ///< lower is better
  std::size_t random = 0, best = 0;      ///< entries
  std::vector<std::size_t> baselines{};  ///< entries, random among them
  std::optional<std::size_t> bound{};    ///< entry of the policy that the suite calls its bound
  double zero = kUndefined, one = kUndefined, limit = kUndefined;

  /// 0 as random, 1 as the best baseline. Undefined where these have equal means.
  [[nodiscard]] double score(double mean) const noexcept;
  /// How much better than the best baseline, in percent of the size of its mean.
  [[nodiscard]] double percent_better(double mean) const noexcept;
  /// 0 as the best baseline, 100 as the bound. Undefined where the bound is not better.
  [[nodiscard]] double percent_to_bound(double mean) const noexcept;

  /// The same policies with other means, such as those of a sample: the best baseline may be another
  /// one then. The function gives the mean of an entry.
  [[nodiscard]] Scale with_means(const std::function<double(std::size_t)>& mean) const;
};

/// Nothing if random is no baseline, has no defined mean or is the best one itself. Nothing either
/// if a baseline failed in some episode, which would make the scale easier. A bound that failed
/// sets none.
[[nodiscard]] std::optional<Scale> scale_of(const BenchResults&, std::size_t env);

}  // namespace park::bench
