#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "park/envs/dag_scheduling/clock.h"

namespace park::dag_scheduling {

/// What the rewards of an episode add up to; DagSchedulingConfig::objective names it.
enum class Objective : std::uint8_t {
  jct,       ///< minus the sum of completion times
  makespan,  ///< minus the time
  tail,      ///< minus the sum of the completion times of the worst jobs
  slowdown,  ///< minus the sum of slowdowns
  deadline,  ///< minus the number of jobs that are late
};

/// REQUIRES the name of one.
[[nodiscard]] constexpr Objective objective_of(std::string_view name) noexcept {
  return name == "makespan"   ? Objective::makespan
         : name == "tail"     ? Objective::tail
         : name == "slowdown" ? Objective::slowdown
         : name == "deadline" ? Objective::deadline
                              : Objective::jct;
}

/// How many jobs of `jobs` are the worst 5 %, rounded up.
[[nodiscard]] constexpr std::size_t worst_of(std::size_t jobs) noexcept { return (jobs + 19) / 20; }

/// The largest completion times of an episode, down to the worst 5 % of all its jobs.
///
/// The sum over the worst jobs so far counts a job in the system with its age, as if it was done
/// now. It never falls: ages rise, and a job that is done keeps its time. So its increases are the
/// cost since the decision before, and they add up to the sum of the worst completion times.
class WorstJobs {
 public:
  explicit WorstJobs(std::size_t jobs_of_episode = 0) : most_(worst_of(jobs_of_episode)) {
    times_.reserve(most_ + 1);
  }

  void clear() noexcept { times_.clear(); }
  void add(Ticks completion) {
    if (times_.size() == most_ && (most_ == 0 || completion <= times_.back())) return;
    times_.insert(std::ranges::upper_bound(times_, completion, std::greater{}), completion);
    if (times_.size() > most_) times_.pop_back();
  }
  /// Descending.
  [[nodiscard]] const std::vector<Ticks>& times() const noexcept { return times_; }

  /// The sum over the worst jobs where `age(i)` are the ages of `present` more jobs, descending.
  template <class Age>
  [[nodiscard]] Ticks sum_with(std::size_t present, Age age) const {
    Ticks sum = 0;
    std::size_t done = 0, waiting = 0;
    for (std::size_t n = 0; n < most_; ++n) {
      const bool more = done < times_.size();
      if (waiting < present && (!more || age(waiting) >= times_[done]))
        sum += age(waiting++);
      else if (more)
        sum += times_[done++];
      else
        break;
    }
    return sum;
  }
  /// Mean of the worst 5 % of the jobs that are done; NaN if none is. REQUIRES at most as many as
  /// the episode has.
  [[nodiscard]] double mean_s(std::size_t jobs_done) const {
    const std::size_t n = std::min(worst_of(jobs_done), times_.size());
    if (n == 0) return std::numeric_limits<double>::quiet_NaN();
    Ticks sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += times_[i];
    return to_seconds(sum) / static_cast<double>(n);
  }

 private:
  std::size_t most_;
  std::vector<Ticks> times_;
};

}  // namespace park::dag_scheduling
