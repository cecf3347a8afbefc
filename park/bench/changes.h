#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/bench/summary.h"

namespace park::bench {

/// A metric of a policy in an environment that two results have.
struct Change {
  std::string env{}, policy{};
  Metric metric{};
  bool paired =
      false;  ///< the same inputs (seed, version, data): the interval is of paired differences
  std::size_t episodes = 0;                        ///< number of compared episodes
  std::size_t differing = 0;                       ///< episodes with another value, if paired
  double before = kUndefined, after = kUndefined;  ///< means
  Interval difference{};  ///< mean of after - before, 95 %, by the bootstrap

  /// The interval leaves out zero.
  [[nodiscard]] bool beyond_noise() const noexcept {
    return difference.low > 0 || difference.high < 0;
  }
  [[nodiscard]] bool better() const noexcept {
    return metric.lower_is_better ? after < before : after > before;
  }
};

/// The metrics that the suites report, of all environments and policies that both results have.
[[nodiscard]] std::vector<Change> changes(const BenchResults& before, const BenchResults& after);

/// Environments and policies that only one of the two has, a line each.
[[nodiscard]] std::vector<std::string> unmatched(const BenchResults& before,
                                                 const BenchResults& after);

}  // namespace park::bench
