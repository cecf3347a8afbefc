#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace park::sim {

/// By nearest rank: p95 is the smallest value that at least 95 % of the values do not exceed. NaN
/// if there is no value. Values are in any one unit.
struct Percentiles {
  double p50 = 0, p95 = 0, p99 = 0;
};

/// Finds percentiles and keeps its memory between searches.
class PercentileSearch {
 public:
  /// REQUIRES that no value is NaN.
  [[nodiscard]] Percentiles find(std::span<const double> values);

 private:
  [[nodiscard]] double find_one(std::size_t percent);

  // The values in groups of about equal size in the logarithm, and where each group ends.
  std::vector<double> grouped_;
  std::vector<std::size_t> ends_;
};

}  // namespace park::sim
