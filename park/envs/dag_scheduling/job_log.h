#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace park::dag_scheduling {

/// The completion times of an episode's finished jobs. Keeps its memory between episodes.
class JobLog {
 public:
  void clear() noexcept {
    times_s_.clear();
    sum_s_ = slowdowns_ = 0;
  }
  void add(double completion_s, double ideal_s) {
    times_s_.push_back(completion_s);
    sum_s_ += completion_s;
    slowdowns_ += completion_s / ideal_s;
  }
  [[nodiscard]] std::size_t count() const noexcept { return times_s_.size(); }
  /// The means are NaN if no job has finished.
  [[nodiscard]] double mean_s() const noexcept { return sum_s_ / static_cast<double>(count()); }
  [[nodiscard]] double mean_slowdown() const noexcept {
    return slowdowns_ / static_cast<double>(count());
  }

  struct Percentiles {
    double p50, p95, p99;
  };
  /// By nearest rank: p95 is the smallest time that at least 95 % of the jobs do not exceed. NaN
  /// if there is none. Reorders the log.
  [[nodiscard]] Percentiles percentiles_s() {
    std::span<double> rest = times_s_;
    const double p99 = select(rest, 99);
    const double p95 = select(rest, 95);
    return {select(rest, 50), p95, p99};
  }

 private:
  /// The percentile of the whole log, found in its smallest values, which `rest` becomes.
  double select(std::span<double>& rest, std::size_t percent) {
    if (rest.empty()) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t rank = (count() * percent + 99) / 100;  // rounded up, at least 1
    const auto at = rest.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(rest.begin(), at, rest.end());
    rest = rest.first(rank);
    return rest.back();
  }

  std::vector<double> times_s_;
  double sum_s_ = 0, slowdowns_ = 0;
};

}  // namespace park::dag_scheduling
