#pragma once

#include <cstdint>
#include <span>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/arrival_list.h"
#include "park/envs/dag_scheduling/clock.h"

namespace park::dag_scheduling {

/// How the jobs of an episode arrive.
struct JobStreamPlan {
  enum class Kind { batch, poisson, file };
  Kind kind = Kind::batch;
  std::uint32_t jobs = 0;           ///< number of jobs of an episode
  std::uint32_t choices = 0;        ///< jobs of the workload
  double interval_s = 0;            ///< poisson
  bool whole_milliseconds = false;  ///< poisson: gaps are cut to milliseconds, as in Decima's code
  std::span<const ArrivalList::Entry> list{};  ///< file; lives elsewhere
};

/// The jobs of an episode in order of arrival, one after the other. Which job number n is, and the
/// gap before it, depend on Episode::inputs and n alone.
class JobStream {
 public:
  struct Arrival {
    std::uint32_t number;  ///< 0, 1, ... in the episode
    std::uint32_t job;     ///< index in the workload
  };

  explicit JobStream(const JobStreamPlan& plan) : plan_(plan) {}
  void reset(std::uint64_t inputs);
  /// Draws the jobs to come anew, the gap before the next one from now on. Those of a list stay.
  void draw_future(const Rng&, Ticks now);
  /// When the next job arrives; kNever after the last one.
  [[nodiscard]] Ticks next_time() const noexcept { return next_time_; }
  /// REQUIRES a next job.
  [[nodiscard]] Arrival take();
  /// Jobs taken.
  [[nodiscard]] std::uint32_t count() const noexcept { return next_; }

 private:
  [[nodiscard]] Ticks gap_before(std::uint32_t number) const;

  JobStreamPlan plan_;
  Rng kinds_{}, gaps_{};
  std::uint32_t next_ = 0;
  Ticks next_time_ = kNever;
};

}  // namespace park::dag_scheduling
