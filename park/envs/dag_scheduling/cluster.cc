// Events of the simulator. Two sources have a next time: the job stream and the queue of executors.
// advance repeats: hand out executors in rounds until a decision is needed, else take everything
// that happens at the next time. A finished task launches the next one of its stage or frees its
// executor, which is then offered; an arrival of an executor starts what it was sent for. The
// environment calls start, advance and commit.
#include "park/envs/dag_scheduling/cluster.h"

#include <algorithm>
#include <utility>

namespace park::dag_scheduling {

Cluster::Cluster(std::shared_ptr<const ClusterModel> model)
    : model_(std::move(model)),
      durations_(&model_->durations()),
      classes_(model_->classes().size()),
      compat_(model_->config().compat()),
      moving_delay_(to_ticks(model_->config().moving_delay_s)),
      objective_(objective_of(model_->config().objective)),
      stream_(model_->job_stream()) {
  if (objective_ == Objective::tail) worst_ = WorstJobs(model_->jobs_per_episode());
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::int32_t i = 0; i < model_->classes()[c].size; ++i)
      executors_.push_back({.executor_class = static_cast<std::uint8_t>(c)});
}

void Cluster::reset(const Episode& e) {
  stream_.reset(e.inputs);
  dynamics_ = Rng(e.dynamics).split("durations");
  queue_.reset(executors_.size());
  horizon_s_ = e.horizon_s;
  horizon_ = kNever;
  now_ = accounted_ = busy_ = last_arrival_ = 0;
  first_arrival_ = stream_.next_time();
  time_s_ = job_time_ = outcome_at_s_ = 0;
  events_ = moves_ = 0;
  end_ = End::none;
  for (auto* v : {&active_, &free_slots_, &waiting_, &chosen_, &touched_stages_, &touched_jobs_})
    v->clear();
  for (auto& blocks : free_stages_) blocks.clear();
  jobs_.clear();
  stages_.clear();
  stage_executors_.clear();
  commitments_.clear();
  round_commitments_ = {};
  round_ = {};
  pending_.clear();
  job_changes_.clear();
  for (ClassCounts* counts : {&running_, &moving_, &schedulable_, &runnable_, &blocked_, &starved_})
    counts->fill(0);
  starved_total_ = 0;
  log_.clear();
  worst_.clear();
  worst_sum_ = 0;
  slow_time_ = late_ = 0;
  late_jobs_ = 0;
  pools_.assign(2 * classes_, {});
  for (std::uint32_t i = 0; i < executors_.size(); ++i) {
    executors_[i] = {.executor_class = executors_[i].executor_class};
    push(kCommon, i);
  }
  timeline_.begin(e, executors_, classes_ > 1);
}

void Cluster::start() {
  advance();
  horizon_ = ticks_at_or_after(horizon_s_);
  [[maybe_unused]] const Outcome before = take_outcome();
}

bool Cluster::advance() {
  for (;;) {
    if (open_round()) break;
    const Ticks next = next_time();
    if (active_.empty() && stream_.next_time() == kNever) {
      end_ = End::terminated;
      break;
    }
    if (next == kNever) {
      wake_all();
      continue;
    }
    if (next >= horizon_) {
      truncate();
      return false;
    }
    process_instant(next);
  }
  time_s_ = to_seconds(now_);
  account_jobs();
  PARK_ASSERT(check_invariants());
  return end_ == End::none;
}

void Cluster::truncate() {
  account_jobs();
  const double rest_s = std::max(0.0, horizon_s_ - to_seconds(now_));
  pass(rest_s * 1e6);
  time_s_ = to_seconds(now_) + rest_s;
  if (rest_s > 0) time_s_ = horizon_s_;
  end_ = End::truncated;
}

double Cluster::busy_s() const noexcept {
  double left_s = 0;
  queue_.for_each([&](Ticks at, std::uint32_t e) {
    if (!executors_[e].moving) left_s += std::max(0.0, to_seconds(at) - time_s_);
  });
  return to_seconds(busy_) - left_s;
}

Ticks Cluster::next_time() const noexcept {
  return std::min(stream_.next_time(), queue_.empty() ? kNever : queue_.time());
}

/// Everything that happens at one time. The released simulator decides after every single event.
void Cluster::process_instant(Ticks time) {
  now_ = time;
  do {
    process_event();
  } while ((compat_ ? stream_.next_time() : next_time()) == now_);
}

void Cluster::process_event() {
  ++events_;
  if (stream_.next_time() <= now_) return add_job(stream_.take());
  const std::uint32_t executor = queue_.take();
  if (executors_[executor].moving)
    arrive(executor);
  else
    finish_task(executor);
  queue_.close_hole();
}

void Cluster::finish_task(std::uint32_t executor) {
  const std::uint32_t stage = executors_[executor].stage;
  StageState& s = stages_[stage];
  ++s.finished;
  s.last_duration = executors_[executor].duration;
  touch(stage);
  if (s.launched < s.tasks) [[likely]]
    return launch(executor, stage);
  leave_task(executor, stage);
}

/// The stage has no task left for the executor.
void Cluster::leave_task(std::uint32_t executor, std::uint32_t stage) {
  const ExecutorState& x = executors_[executor];
  const std::uint32_t slot = x.job;
  StageState& s = stages_[stage];
  --running_[x.executor_class];
  const bool unlocked = s.finished == s.tasks && complete_stage(stage);
  std::uint32_t target = kNone;
  if (commitments_.take(s.commitments, x.executor_class, target)) {
    fulfil_promise(executor, target);
  } else if (unlocked) {
    idle_in_job(executor);
  } else {
    waiting_.push_back(executor);
    offer({.kind = Source::Kind::stage, .id = stage});
  }
  if (unlocked) {
    std::erase_if(waiting_, [&](std::uint32_t other) {
      if (executors_[other].stage != stage) return false;
      idle_in_job(other);
      return true;
    });
    offer({.kind = Source::Kind::job, .id = slot});
  }
  if (jobs_[slot].stages_done == jobs_[slot].stages) remove_job(slot);
}

/// The last task of a stage finished. True when that makes another stage runnable.
bool Cluster::complete_stage(std::uint32_t stage) {
  const StageState& s = stages_[stage];
  JobState& job = jobs_[s.job];
  ++job.stages_done;
  bool unlocked = false;
  for (const std::uint16_t index : model_->children(model_->stage(s.plan))) {
    StageState& child = stages_[job.first + index];
    if (--child.parents_left > 0) continue;
    child.ready = now_;
    if (child.schedulable) count_runnable(child, 1);
    touch(job.first + index);
    unlocked = true;
  }
  return unlocked;
}

/// An executor reaches the job that it was sent to.
void Cluster::arrive(std::uint32_t executor) {
  ExecutorState& x = executors_[executor];
  const std::uint32_t target = std::exchange(x.target, kNone);
  x.moving = false;
  --moving_[x.executor_class];
  if (target == kNone) return back_up(executor);
  StageState& s = stages_[target];
  JobState& job = jobs_[s.job];
  --s.moving;
  --job.moving;
  ++job.executors;
  x.job = s.job;
  touch(target);
  update_demand(target);
  if (s.runnable())
    start_task(executor, target);
  else if (s.launched < s.tasks)
    idle_in_job(executor);
  else
    back_up(executor);
}

}  // namespace park::dag_scheduling
