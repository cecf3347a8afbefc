#pragma once

#include <cstddef>
#include <vector>

#include "park/sim/percentiles.h"

namespace park::sim {

/// The response times of an episode's finished jobs. Keeps its memory between episodes.
class ResponseLog {
 public:
  void clear() noexcept {
    all_s_.clear();
    sum_s_ = 0;
  }
  /// REQUIRES that it is not NaN.
  void add(double response_s) {
    all_s_.push_back(response_s);
    sum_s_ += response_s;
  }
  [[nodiscard]] std::size_t count() const noexcept { return all_s_.size(); }
  /// NaN if there is none.
  [[nodiscard]] double mean_s() const noexcept { return sum_s_ / static_cast<double>(count()); }
  [[nodiscard]] Percentiles percentiles_s() { return search_.find(all_s_); }

 private:
  std::vector<double> all_s_;
  double sum_s_ = 0;
  PercentileSearch search_;
};

}  // namespace park::sim
