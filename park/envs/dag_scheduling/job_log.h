#pragma once

#include <cstddef>

#include "park/sim/response_log.h"

namespace park::dag_scheduling {

/// The completion times of an episode's finished jobs, and how they compare with the ideal. Keeps
/// its memory between episodes.
class JobLog {
 public:
  void clear() noexcept {
    times_.clear();
    slowdowns_ = 0;
  }
  /// REQUIRES that neither is NaN.
  void add(double completion_s, double ideal_s) {
    times_.add(completion_s);
    slowdowns_ += completion_s / ideal_s;
  }
  [[nodiscard]] std::size_t count() const noexcept { return times_.count(); }
  /// The means are NaN if no job has finished.
  [[nodiscard]] double mean_s() const noexcept { return times_.mean_s(); }
  [[nodiscard]] double mean_slowdown() const noexcept {
    return slowdowns_ / static_cast<double>(count());
  }
  [[nodiscard]] sim::Percentiles percentiles_s() { return times_.percentiles_s(); }

 private:
  sim::ResponseLog times_;
  double slowdowns_ = 0;
};

}  // namespace park::dag_scheduling
