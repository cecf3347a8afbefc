#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace park::envs {

/// The response times of an episode's finished jobs. Keeps its memory between episodes.
class ResponseLog {
 public:
  void clear() noexcept {
    all_s_.clear();
    sum_s_ = 0;
  }
  void add(double response_s) {
    all_s_.push_back(response_s);
    sum_s_ += response_s;
  }
  [[nodiscard]] std::size_t count() const noexcept { return all_s_.size(); }
  /// NaN where there is none.
  [[nodiscard]] double mean_s() const noexcept { return sum_s_ / static_cast<double>(count()); }

  struct Percentiles {
    double p50, p95, p99;
  };
  /// By nearest rank: p95 is the smallest response time that at least 95 % of the jobs do not
  /// exceed. NaN where there is none. Reorders the log.
  [[nodiscard]] Percentiles percentiles_s() {
    if (all_s_.empty()) return {kUndefined, kUndefined, kUndefined};
    auto rest = all_s_.begin();  // the values below are in the lower part
    const double p50 = select(rest, 50);
    const double p95 = select(rest, 95);
    return {p50, p95, select(rest, 99)};
  }

 private:
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

  /// The percentile of the whole log, which is at `rest` or after it; `rest` becomes its place.
  double select(std::vector<double>::iterator& rest, std::size_t percent) {
    const std::size_t rank = (count() * percent + 99) / 100;  // rounded up, at least 1
    const auto place = all_s_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(rest, place, all_s_.end());
    rest = place;
    return *place;
  }

  std::vector<double> all_s_;
  double sum_s_ = 0;
};

}  // namespace park::envs
