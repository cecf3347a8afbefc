// What decisions cost. pass adds up what a while costs the jobs in the system; account_jobs calls it
// up to now, before a job comes or goes. take_outcome makes the reward of what has added up since
// the decision before. The tail is different: its cost is the increase of a sum that WorstJobs gives
// at any time.
#include <utility>

#include "park/envs/dag_scheduling/cluster.h"

namespace park::dag_scheduling {

void Cluster::account_jobs() noexcept {
  pass(static_cast<double>(now_ - accounted_));
  accounted_ = now_;
}

/// So many ticks pass since accounted_ without a job that comes or goes.
void Cluster::pass(double ticks) noexcept {
  job_time_ += ticks * static_cast<double>(active_.size());
  if (objective_ == Objective::slowdown) {
    for (const std::uint32_t slot : active_)
      slow_time_ += ticks / model_->job(jobs_[slot].plan).ideal_s;
  } else if (objective_ == Objective::deadline) {
    const auto from = static_cast<double>(accounted_);
    for (const std::uint32_t slot : active_) {
      const auto deadline = static_cast<double>(jobs_[slot].deadline);
      late_ += from <= deadline && deadline < from + ticks ? 1 : 0;
    }
  }
}

/// The sum over the worst jobs by now. Jobs in the system are in order of arrival: the first one is
/// the oldest.
Ticks Cluster::worst_sum() const noexcept {
  const Ticks now = end_ == End::truncated ? to_ticks(time_s_) : now_;
  return worst_.sum_with(active_.size(),
                         [&](std::size_t i) { return now - jobs_[active_[i]].arrival; });
}

Outcome Cluster::take_outcome() {
  Outcome o;
  o.elapsed_s = time_s_ - std::exchange(outcome_at_s_, time_s_);
  o.reward = 0.0 - take_cost(o.elapsed_s);
  o.end = end_;
  return o;
}

double Cluster::take_cost(double elapsed_s) {
  const double job_seconds = std::exchange(job_time_, 0) / 1e6;
  switch (objective_) {
    case Objective::jct:
      return job_seconds;
    case Objective::makespan:
      return elapsed_s;
    case Objective::tail: {
      const Ticks sum = worst_sum();
      return to_seconds(sum - std::exchange(worst_sum_, sum));
    }
    case Objective::slowdown:
      return std::exchange(slow_time_, 0) / 1e6;
    case Objective::deadline:
      return std::exchange(late_, 0);
  }
  return 0;
}

}  // namespace park::dag_scheduling
