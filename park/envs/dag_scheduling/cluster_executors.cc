// What one executor does: start a task, launch the next one, move to another job, become idle, or
// go where it was promised. Where that stage needs it no more it finds another one. Every function
// changes the executor, the counters of stage, job and class, and at most one event or pool. Events
// and rounds call them.
#include "park/envs/dag_scheduling/cluster.h"

namespace park::dag_scheduling {

/// An executor that does nothing starts to work. REQUIRES a runnable stage of its job.
void Cluster::start_task(std::uint32_t executor, std::uint32_t stage) {
  ExecutorState& x = executors_[executor];
  ++running_[x.executor_class];
  leave_stage(x);
  x.stage = stage;
  ++stage_executors_[stage * classes_ + x.executor_class];
  launch(executor, stage);
}

/// The stage's next task on an executor that is on the stage.
void Cluster::launch(std::uint32_t executor, std::uint32_t stage) {
  ExecutorState& x = executors_[executor];
  StageState& s = stages_[stage];
  JobState& job = jobs_[s.job];
  if (s.mix_executors != job.executors) {
    s.mix_executors = job.executors;
    s.mix = durations_->mix(s.plan, job.executors);
  }
  const Wave wave = x.previous == stage   ? Wave::rest
                    : x.previous == kNone ? Wave::fresh
                                          : Wave::first;
  Rng draw;
  draw.restore({s.key, static_cast<std::uint64_t>(s.launched)});
  x.duration = durations_->draw(s.mix, wave, draw.bits());
  x.previous = stage;
  busy_ += x.duration;
  queue_.push(now_ + x.duration, executor);
  if (timeline_) [[unlikely]]
    report_task(executor, wave);
  ++s.launched;
  ++job.launched;
  if (compat_ && s.launched == s.tasks) s.mean_s = to_seconds(x.duration);
  touch(stage);
  update_demand(stage);
}

void Cluster::report_task(std::uint32_t executor, Wave wave) const {
  const ExecutorState& x = executors_[executor];
  const StageState& s = stages_[x.stage];
  const JobState& job = jobs_[s.job];
  timeline_.task({executor, job.number, x.stage - job.first, s.launched, wave, now_, x.duration},
                 model_->job_name(job.plan));
}

/// Leaves its job at once and reaches the stage's job after the delay.
void Cluster::move(std::uint32_t executor, std::uint32_t stage) {
  ExecutorState& x = executors_[executor];
  leave_job(x);
  x.target = stage;
  x.moving = true;
  ++moving_[x.executor_class];
  ++moves_;
  ++stages_[stage].moving;
  ++jobs_[stages_[stage].job].moving;
  queue_.push(now_ + moving_delay_, executor);
  if (timeline_) timeline_.move(executor, jobs_[stages_[stage].job].number, now_, moving_delay_);
  touch(stage);
  update_demand(stage);
}

void Cluster::leave_stage(ExecutorState& x) noexcept {
  if (x.stage == kNone) return;
  --stage_executors_[x.stage * classes_ + x.executor_class];
  x.stage = kNone;
}

void Cluster::leave_job(ExecutorState& x) noexcept {
  leave_stage(x);
  x.previous = kNone;
  if (x.job == kNone) return;
  --jobs_[x.job].executors;
  touch_job(x.job);
  x.job = kNone;
}

void Cluster::idle_in_job(std::uint32_t executor) {
  ExecutorState& x = executors_[executor];
  leave_stage(x);
  if (compat_) x.previous = kNone;
  push(job_pool(x.job), executor);
}

void Cluster::idle_in_common(std::uint32_t executor) {
  leave_job(executors_[executor]);
  push(kCommon, executor);
}

/// With its job where that still has tasks to launch.
void Cluster::idle_anywhere(std::uint32_t executor) {
  const std::uint32_t slot = executors_[executor].job;
  if (slot != kNone && jobs_[slot].launched < jobs_[slot].tasks)
    idle_in_job(executor);
  else
    idle_in_common(executor);
}

/// Sends the executor where it was promised.
void Cluster::fulfil(std::uint32_t executor, std::uint32_t stage) {
  const StageState& s = stages_[stage];
  if (s.launched == s.tasks)
    back_up(executor);
  else if (s.job != executors_[executor].job)
    move(executor, stage);
  else if (s.runnable())
    start_task(executor, stage);
  else
    idle_in_job(executor);
}

/// The stage that it was meant for needs it no more: any other one.
void Cluster::back_up(std::uint32_t executor) {
  const ExecutorState& x = executors_[executor];
  if (const std::uint32_t stage = back_up_in_job(x); stage != kNone)
    return start_task(executor, stage);
  const std::uint32_t stage = back_up_anywhere(x);
  if (stage != kNone && (compat_ || stages_[stage].job != x.job)) return move(executor, stage);
  if (x.job != kNone && (compat_ || stage != kNone)) return idle_in_job(executor);
  idle_anywhere(executor);
}

/// A runnable stage of its job with tasks that nobody is assigned to: the one that became runnable
/// first.
std::uint32_t Cluster::back_up_in_job(const ExecutorState& x) const noexcept {
  if (x.job == kNone) return kNone;
  const JobState& job = jobs_[x.job];
  std::uint32_t best = kNone;
  for (std::uint32_t id = job.first; id < job.first + job.stages; ++id) {
    const StageState& s = stages_[id];
    if (s.parents_left > 0 || !s.unsaturated || (fits(s) >> x.executor_class & 1) == 0) continue;
    if (best == kNone || s.ready < stages_[best].ready) best = id;
  }
  return best;
}

/// The first schedulable stage of all, by arrival and order of stages.
std::uint32_t Cluster::back_up_anywhere(const ExecutorState& x) const noexcept {
  if (schedulable_[x.executor_class] == 0) return kNone;
  for (const std::uint32_t slot : active_)
    for (std::uint32_t id = jobs_[slot].first; id < jobs_[slot].first + jobs_[slot].stages; ++id)
      if (stages_[id].schedulable && (fits(stages_[id]) >> x.executor_class & 1) != 0) return id;
  return kNone;
}

void Cluster::push(std::size_t pool, std::uint32_t executor) noexcept {
  ExecutorState& x = executors_[executor];
  ExecutorQueue& q = queue_of(pool, x.executor_class);
  x.next = kNone;
  (q.tail == kNone ? q.head : executors_[q.tail].next) = executor;
  q.tail = executor;
  ++q.count;
}

std::uint32_t Cluster::take_all(std::size_t pool, std::size_t executor_class) noexcept {
  ExecutorQueue& q = queue_of(pool, executor_class);
  const std::uint32_t first = q.head;
  q = {};
  return first;
}

}  // namespace park::dag_scheduling
