#include <algorithm>
#include <bit>

#include "park/envs/dag_scheduling/cluster.h"

namespace park::dag_scheduling {

void Cluster::add_job(const JobStream::Arrival& arrival) {
  account_jobs();
  last_arrival_ = now_;
  const ClusterModel::Job& plan = model_->job(arrival.job);
  const std::uint32_t slot = take_slot();
  jobs_[slot] = {.number = arrival.number,
                 .plan = arrival.job,
                 .arrival = now_,
                 .deadline = plan.slack == kNever ? kNever : now_ + plan.slack,
                 .first = take_stages(plan.stages),
                 .stages = plan.stages,
                 .tasks = plan.tasks,
                 .active = true};
  active_.push_back(slot);
  job_changes_.push_back({slot, true});
  start_stages(slot);
  if (timeline_)
    timeline_.arrival(now_, {arrival.number, arrival.job, plan.stages, plan.work_s, active_.size()},
                      model_->workload());
  offer({.kind = Source::Kind::common});
}

void Cluster::start_stages(std::uint32_t slot) {
  const JobState& job = jobs_[slot];
  const Rng durations = dynamics_.split(job.number);
  for (std::uint32_t i = 0; i < job.stages; ++i) {
    const std::uint32_t index = model_->job(job.plan).first_stage + i;
    const ClusterModel::Stage& plan = model_->stage(index);
    const auto parents = static_cast<std::int32_t>(plan.parents);
    stages_[job.first + i] = {.key = durations.split(i).state().key,
                              .plan = index,
                              .job = slot,
                              .tasks = plan.tasks,
                              .parents_left = parents,
                              .parents_unsaturated = parents,
                              .unsaturated = true,
                              .ready = parents == 0 ? now_ : -1,
                              .mean_s = plan.mean_s};
    for (std::size_t c = 0; c < classes_; ++c) stage_executors_[(job.first + i) * classes_ + c] = 0;
  }
  for (std::uint32_t i = 0; i < job.stages; ++i) update_schedulable(job.first + i);
}

void Cluster::draw_future(std::uint64_t seed) {
  const Rng future(seed);
  dynamics_ = future.split("durations");
  stream_.draw_future(future.split("stream"), now_);
  for (const std::uint32_t slot : active_) {
    const JobState& job = jobs_[slot];
    const Rng durations = dynamics_.split(job.number);
    for (std::uint32_t i = 0; i < job.stages; ++i)
      stages_[job.first + i].key = durations.split(i).state().key;
  }
}

std::uint32_t Cluster::take_slot() {
  if (!free_slots_.empty()) {
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  jobs_.emplace_back();
  pools_.resize(pools_.size() + classes_);
  return static_cast<std::uint32_t>(jobs_.size() - 1);
}

/// Blocks are powers of two and return to a list of their size.
std::uint32_t Cluster::take_stages(std::uint32_t count) {
  const std::uint32_t size = std::bit_ceil(count);
  std::vector<std::uint32_t>& blocks =
      free_stages_[static_cast<std::size_t>(std::countr_zero(size))];
  if (!blocks.empty()) {
    const std::uint32_t first = blocks.back();
    blocks.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(stages_.size());
  stages_.resize(stages_.size() + size);
  stage_executors_.resize(stages_.size() * classes_);
  return first;
}

void Cluster::remove_job(std::uint32_t slot) {
  JobState& job = jobs_[slot];
  account_jobs();
  log_.add(to_seconds(now_ - job.arrival), model_->job(job.plan).ideal_s);
  if (objective_ == Objective::tail) worst_.add(now_ - job.arrival);
  if (now_ > job.deadline) ++late_jobs_;
  std::erase(active_, slot);
  if (timeline_)
    timeline_.completion(now_, {job.number, job.plan, job.stages, 0, active_.size()}, job.arrival);
  release_executors(slot);
  forget_targets(job);
  forget_commitments(job);
  for (std::uint32_t i = 0; i < job.stages; ++i) stages_[job.first + i].touched = false;
  job.active = job.touched = false;
  job_changes_.push_back({slot, false});
  free_slots_.push_back(slot);
  free_stages_[static_cast<std::size_t>(std::countr_zero(std::bit_ceil(job.stages)))].push_back(
      job.first);
}

/// The idle executors of the job join the common pool; those that have just finished its last tasks
/// are offered.
void Cluster::release_executors(std::uint32_t slot) {
  std::erase_if(pending_, [&](const Source& s) {
    return (s.kind == Source::Kind::job && s.id == slot) ||
           (s.kind == Source::Kind::stage && stages_[s.id].job == slot);
  });
  for (std::size_t c = 0; c < classes_; ++c) {
    for (std::uint32_t e = take_all(job_pool(slot), c); e != kNone;) {
      const std::uint32_t following = executors_[e].next;
      idle_in_common(e);
      e = following;
    }
  }
  const std::size_t loose_before = waiting_.size();
  std::erase_if(waiting_, [&](std::uint32_t e) {
    if (executors_[e].job != slot) return false;
    leave_job(executors_[e]);
    push(kLoose, e);
    return true;
  });
  if (waiting_.size() < loose_before) offer({.kind = Source::Kind::loose});
}

/// Executors on their way to the job will arrive as executors of no job.
void Cluster::forget_targets(const JobState& job) {
  if (job.moving == 0) return;
  for (ExecutorState& x : executors_)
    if (x.target != kNone && x.target - job.first < job.stages) x.target = kNone;
}

/// What other jobs' stages promised to the job is void.
void Cluster::forget_commitments(const JobState& job) {
  if (job.committed == 0) return;
  for (const std::uint32_t slot : active_)
    for (std::uint32_t i = 0; i < jobs_[slot].stages; ++i)
      commitments_.forget(stages_[jobs_[slot].first + i].commitments, job.first, job.stages);
}

}  // namespace park::dag_scheduling
