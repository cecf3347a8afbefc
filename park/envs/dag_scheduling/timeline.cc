#include "park/envs/dag_scheduling/timeline.h"

#include <algorithm>
#include <array>

#include "park/core/env.h"

namespace park::dag_scheduling {

std::string Timeline::lane(std::size_t executor) const {
  std::string name = "executor " + std::to_string(executor);
  if (!classes_.empty()) name += ", class " + std::to_string(classes_[executor]);
  return name;
}

void Timeline::begin(const Episode& episode, std::span<const ExecutorState> executors,
                     bool several) {
  horizon_s_ = episode.horizon_s;
  jct_sum_s_ = 0;
  completed_ = 0;
  classes_.clear();
  for (const ExecutorState& x : executors)
    if (several) classes_.push_back(x.executor_class);
  if (!*this) return;
  for (std::size_t e = 0; e < executors.size(); ++e) sink().lane(lane(e));
}

void Timeline::span(std::uint32_t executor, Ticks start, Ticks duration, const std::string& what,
                    std::span<const EventArg> args) const {
  if (to_seconds(start) >= horizon_s_) return;
  sink().span(lane(executor), to_seconds(start), std::min(to_seconds(start + duration), horizon_s_),
              what, args);
}

void Timeline::task(const Task& t, const std::string& job_name) const {
  const std::array<EventArg, 4> args{{{"job", static_cast<double>(t.job)},
                                      {"stage", static_cast<double>(t.stage)},
                                      {"task", static_cast<double>(t.task)},
                                      {"wave", static_cast<double>(t.wave), wave_name(t.wave)}}};
  span(t.executor, t.start, t.duration, job_name + "/" + std::to_string(t.stage), args);
}

void Timeline::move(std::uint32_t executor, std::uint32_t to_job, Ticks start,
                    Ticks duration) const {
  const EventArg target{"to_job", static_cast<double>(to_job)};
  span(executor, start, duration, "moving", {&target, 1});
}

void Timeline::arrival(Ticks time, const Job& job, const Workload& workload) {
  describe(job, workload);
  const std::array<EventArg, 4> args{{{"job", static_cast<double>(job.number)},
                                      {"workload_job", static_cast<double>(job.workload_job)},
                                      {"stages", static_cast<double>(job.stages)},
                                      {"work_s", job.work_s}}};
  sink().point("arrivals", to_seconds(time), "arrival", args);
  sink().value("", "jobs in system", to_seconds(time), static_cast<double>(job.in_system));
}

void Timeline::describe(const Job& job, const Workload& workload) {
  const std::size_t count = classes_.empty() ? 2 : 4;  // arguments of a stage
  const Workload::Job& plan = workload.jobs()[job.workload_job];
  const std::span<const Workload::Stage> stages = workload.stages(plan);
  args_.clear();
  for (const Workload::Stage& stage : stages) {
    args_.push_back({"tasks", static_cast<double>(stage.tasks)});
    args_.push_back({"mean_task_s", stage.mean_duration_s});
    if (classes_.empty()) continue;
    args_.push_back({"cpus", stage.cpus});
    args_.push_back({"memory", stage.memory});
  }
  stages_.clear();
  for (std::size_t s = 0; s < stages.size(); ++s)
    stages_.push_back({workload.parents(stages[s]), {args_.data() + count * s, count}});
  sink().job(job.number, plan.name, stages_);
}

void Timeline::completion(Ticks time, const Job& job, Ticks arrived) {
  const double jct_s = to_seconds(time - arrived);
  jct_sum_s_ += jct_s;
  ++completed_;
  const std::array<EventArg, 2> args{{{"job", static_cast<double>(job.number)}, {"jct_s", jct_s}}};
  sink().point("arrivals", to_seconds(time), "completion", args);
  sink().value("", "jobs in system", to_seconds(time), static_cast<double>(job.in_system));
  sink().value("", "running mean of JCT (s)", to_seconds(time),
               jct_sum_s_ / static_cast<double>(completed_));
}

}  // namespace park::dag_scheduling
