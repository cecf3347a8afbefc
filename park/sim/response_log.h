#pragma once

#include <cstddef>
#include <vector>

namespace park::sim {

/// The response times of an episode's finished jobs. Keeps its memory between episodes.
class ResponseLog {
 public:
  void clear() noexcept {
    all_s_.clear();
    sum_s_ = 0;
  }
  /// REQUIRES response_s >= 0.
  void add(double response_s) {
    all_s_.push_back(response_s);
    sum_s_ += response_s;
  }
  [[nodiscard]] std::size_t count() const noexcept { return all_s_.size(); }
  /// NaN if there is none.
  [[nodiscard]] double mean_s() const noexcept { return sum_s_ / static_cast<double>(count()); }

  struct Percentiles {
    double p50, p95, p99;
  };
  /// By nearest rank: p95 is the smallest response time that at least 95 % of the jobs do not
  /// exceed. NaN if there is none.
  [[nodiscard]] Percentiles percentiles_s();

 private:
  [[nodiscard]] double percentile(std::size_t percent);

  std::vector<double> all_s_;
  double sum_s_ = 0;
  // The values in groups of about equal size in time, and where each group ends.
  std::vector<double> grouped_s_;
  std::vector<std::size_t> ends_;
};

}  // namespace park::sim
