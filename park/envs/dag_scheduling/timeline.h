#pragma once

#include <cstdint>
#include <string>

#include "park/core/events.h"
#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::envs {

/// Tells an event sink what a timeline of the cluster shows: spans on the lanes "executor 0" .. for
/// every task and every move, points "arrival" and "completion" of jobs on the lane "arrivals", and
/// the series "jobs in system". Without a sink it is false, and nothing may be reported.
class Timeline {
 public:
  void set(EventSink* sink) noexcept { sink_ = sink; }
  explicit operator bool() const noexcept { return sink_ != nullptr; }

  /// Spans end at the horizon at the latest.
  void begin(const Episode&);

  struct Task {
    std::uint32_t executor, job, stage;  ///< job: its number in the episode
    std::int32_t task;
    Wave wave;
    Ticks start, duration;
  };
  void task(const Task&, const std::string& job_name) const;
  void move(std::uint32_t executor, Ticks start, Ticks duration) const;

  struct Job {
    std::uint32_t number;        ///< in the episode
    std::uint32_t workload_job;  ///< index in the workload
    std::uint32_t stages;
    double work_s;
    std::size_t in_system;  ///< jobs, after it has come or gone
  };
  void arrival(Ticks, const Job&) const;
  void completion(Ticks, const Job&, Ticks arrived) const;

 private:
  void span(std::uint32_t executor, Ticks start, Ticks duration, const std::string& what,
            std::span<const EventArg> args) const;

  EventSink* sink_ = nullptr;
  double horizon_s_ = 0;
};

}  // namespace park::envs
