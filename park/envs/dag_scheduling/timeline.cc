#include "park/envs/dag_scheduling/timeline.h"

#include <algorithm>
#include <array>

#include "park/core/env.h"

namespace park::envs {

void Timeline::begin(const Episode& episode) { horizon_s_ = episode.horizon_s; }

void Timeline::span(std::uint32_t executor, Ticks start, Ticks duration, const std::string& what,
                    std::span<const EventArg> args) const {
  if (to_seconds(start) >= horizon_s_) return;
  sink_->span("executor " + std::to_string(executor), to_seconds(start),
              std::min(to_seconds(start + duration), horizon_s_), what, args);
}

void Timeline::task(const Task& t, const std::string& job_name) const {
  const std::array<EventArg, 4> args{{{"job", static_cast<double>(t.job)},
                                      {"stage", static_cast<double>(t.stage)},
                                      {"task", static_cast<double>(t.task)},
                                      {"wave", static_cast<double>(t.wave)}}};
  span(t.executor, t.start, t.duration, job_name + "/" + std::to_string(t.stage), args);
}

void Timeline::move(std::uint32_t executor, Ticks start, Ticks duration) const {
  span(executor, start, duration, "moving", {});
}

void Timeline::arrival(Ticks time, const Job& job) const {
  const std::array<EventArg, 4> args{{{"job", static_cast<double>(job.number)},
                                      {"workload_job", static_cast<double>(job.workload_job)},
                                      {"stages", static_cast<double>(job.stages)},
                                      {"work_s", job.work_s}}};
  sink_->point("arrivals", to_seconds(time), "arrival", args);
  sink_->value("jobs in system", to_seconds(time), static_cast<double>(job.in_system));
}

void Timeline::completion(Ticks time, const Job& job, Ticks arrived) const {
  const std::array<EventArg, 2> args{
      {{"job", static_cast<double>(job.number)}, {"jct_s", to_seconds(time - arrived)}}};
  sink_->point("arrivals", to_seconds(time), "completion", args);
  sink_->value("jobs in system", to_seconds(time), static_cast<double>(job.in_system));
}

}  // namespace park::envs
