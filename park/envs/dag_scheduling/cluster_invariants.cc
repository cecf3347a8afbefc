// The invariants of Cluster, recomputed from its executors, queues and promises. Cluster::advance
// calls check_invariants before it returns, in builds with assertions alone. A check takes time in
// proportion to executors and stages, so the larger a cluster is, the fewer of its returns are
// checked; the scratch memory is kept, because simulators may not allocate once they are warm.
#include "park/envs/dag_scheduling/cluster.h"

#ifndef NDEBUG

#include <algorithm>
#include <numeric>

namespace park::dag_scheduling {
namespace {

/// Counters that start at zero and keep their memory.
std::vector<std::int32_t>& zeros(std::vector<std::int32_t>& counters, std::size_t n) {
  counters.assign(n, 0);
  return counters;
}

}  // namespace

bool Cluster::check_invariants() const {
  constexpr std::size_t kCheapEnough = 64;  // executors and stages
  if (events_ % (1 + (executors_.size() + stages_.size()) / kCheapEnough) != 0) return true;
  check_places();
  check_executors();
  for (const std::uint32_t slot : active_) check_job(jobs_[slot]);
  check_choices();
  check_promises();
  check_round();
  return true;
}

/// Every executor is in one place: it has an event, waits, or is in a pool.
void Cluster::check_places() const {
  thread_local std::vector<std::int32_t> memory;
  std::vector<std::int32_t>& places = zeros(memory, executors_.size());
  queue_.for_each([&](Ticks at, std::uint32_t e) {
    PARK_ASSERT(at >= now_);
    PARK_ASSERT(executors_[e].moving || executors_[e].stage != kNone);
    ++places[e];
  });
  for (const std::uint32_t e : waiting_) {
    PARK_ASSERT(executors_[e].stage != kNone);
    PARK_ASSERT(stages_[executors_[e].stage].launched == stages_[executors_[e].stage].tasks);
    ++places[e];
  }
  for (std::size_t q = 0; q < pools_.size(); ++q) {
    std::int32_t count = 0;
    for (std::uint32_t e = pools_[q].head; e != kNone; e = executors_[e].next, ++count) {
      const ExecutorState& x = executors_[e];
      const std::size_t pool = q / classes_;
      PARK_ASSERT(x.executor_class == q % classes_);
      PARK_ASSERT(!x.moving && x.stage == kNone);
      PARK_ASSERT(x.job == kNone ? pool == kCommon || pool == kLoose : pool == job_pool(x.job));
      ++places[e];
    }
    PARK_ASSERT(count == pools_[q].count);
  }
  PARK_ASSERT(std::ranges::all_of(places, [](std::int32_t n) { return n == 1; }));
}

/// What is counted of executors: by class, job and stage.
void Cluster::check_executors() const {
  thread_local std::vector<std::int32_t> of_jobs, of_stages, to_stages;
  zeros(of_jobs, jobs_.size());
  zeros(of_stages, stage_executors_.size());
  zeros(to_stages, stages_.size());
  ClassCounts running{}, moving{}, starved{};
  for (const ExecutorState& x : executors_) {
    const std::size_t c = x.executor_class;
    PARK_ASSERT(!x.moving || (x.job == kNone && x.stage == kNone));
    PARK_ASSERT(x.moving || x.target == kNone);
    PARK_ASSERT(x.job == kNone || jobs_[x.job].active);
    PARK_ASSERT(x.stage == kNone || stages_[x.stage].job == x.job);
    PARK_ASSERT(!x.starved || (!x.moving && x.stage == kNone));
    moving[c] += x.moving;
    starved[c] += x.starved;
    running[c] += x.stage != kNone;
    if (x.job != kNone) ++of_jobs[x.job];
    if (x.stage != kNone) ++of_stages[x.stage * classes_ + c];
    if (x.target != kNone) ++to_stages[x.target];
  }
  for (const std::uint32_t e : waiting_) --running[executors_[e].executor_class];
  PARK_ASSERT(running == running_ && moving == moving_ && starved == starved_);
  PARK_ASSERT(starved_total_ == std::accumulate(starved.begin(), starved.end(), 0));
  PARK_ASSERT(of_stages == stage_executors_);
  for (const std::uint32_t slot : active_) {
    PARK_ASSERT(of_jobs[slot] == jobs_[slot].executors);
    for (std::uint32_t i = 0; i < jobs_[slot].stages; ++i)
      PARK_ASSERT(to_stages[jobs_[slot].first + i] == stages_[jobs_[slot].first + i].moving);
  }
}

/// A job and its stages.
void Cluster::check_job(const JobState& job) const {
  thread_local std::vector<std::int32_t> unfinished, unsaturated;  // parents of each stage
  zeros(unfinished, job.stages);
  zeros(unsaturated, job.stages);
  std::int64_t launched = 0;
  std::int32_t moving = 0;
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < job.stages; ++i) {
    const StageState& s = stages_[job.first + i];
    PARK_ASSERT(0 <= s.finished && s.finished <= s.launched && s.launched <= s.tasks);
    PARK_ASSERT(s.committed >= 0 && s.moving >= 0);
    launched += s.launched;
    moving += s.moving;
    done += s.finished == s.tasks;
    for (const std::uint16_t child : model_->children(model_->stage(s.plan))) {
      unfinished[child] += s.finished < s.tasks;
      unsaturated[child] += s.demand() > 0;
    }
  }
  PARK_ASSERT(job.active && job.launched == launched && job.moving == moving);
  PARK_ASSERT(job.stages_done == done && done < job.stages);
  for (std::uint32_t i = 0; i < job.stages; ++i) {
    const StageState& s = stages_[job.first + i];
    PARK_ASSERT(s.parents_left == unfinished[i] && s.parents_unsaturated == unsaturated[i]);
    PARK_ASSERT((s.ready >= 0) == (s.parents_left == 0));
    PARK_ASSERT(s.launched == 0 || s.parents_left == 0);
    PARK_ASSERT(s.unsaturated == (s.demand() > 0));
    PARK_ASSERT(s.schedulable == (s.unsaturated && s.parents_unsaturated == 0));
  }
}

/// How many stages each class may be given.
void Cluster::check_choices() const {
  ClassCounts schedulable{}, runnable{}, blocked{};
  for (const std::uint32_t slot : active_)
    for (std::uint32_t i = 0; i < jobs_[slot].stages; ++i) {
      const StageState& s = stages_[jobs_[slot].first + i];
      for (std::size_t c = 0; c < classes_; ++c) {
        if (!s.schedulable || (fits(s) >> c & 1) == 0) continue;
        ++schedulable[c];
        runnable[c] += s.parents_left == 0;
        blocked[c] += s.chosen >> c & 1;
      }
    }
  PARK_ASSERT(schedulable == schedulable_ && runnable == runnable_ && blocked == blocked_);
}

/// Every promise is counted at its stage, and at its job where another job or none made it.
void Cluster::check_promises() const {
  thread_local std::vector<std::int32_t> to_stages, to_jobs;
  zeros(to_stages, stages_.size());
  zeros(to_jobs, jobs_.size());
  const auto add = [&](const CommitmentList& list, std::uint32_t maker) {
    commitments_.for_each(list, [&](const Commitment& c) {
      PARK_ASSERT(c.count > 0);
      if (c.target == kNone) return;
      to_stages[c.target] += c.count;
      if (stages_[c.target].job != maker) to_jobs[stages_[c.target].job] += c.count;
    });
  };
  add(round_commitments_, round_.job);
  for (const std::uint32_t slot : active_)
    for (std::uint32_t i = 0; i < jobs_[slot].stages; ++i)
      add(stages_[jobs_[slot].first + i].commitments, slot);
  for (const std::uint32_t slot : active_) {
    PARK_ASSERT(jobs_[slot].committed == to_jobs[slot]);
    for (std::uint32_t i = 0; i < jobs_[slot].stages; ++i)
      PARK_ASSERT(stages_[jobs_[slot].first + i].committed == to_stages[jobs_[slot].first + i]);
  }
}

/// The source's executors are promised or left to hand out.
void Cluster::check_round() const {
  if (!round_.active) {
    PARK_ASSERT(round_commitments_.head == kNone && chosen_.empty());
    return;
  }
  const bool of_stage = round_.source.kind == Source::Kind::stage;
  const CommitmentList& promises =
      of_stage ? stages_[round_.source.id].commitments : round_commitments_;
  ClassCounts held = round_.left;
  commitments_.for_each(promises, [&](const Commitment& c) { held[c.executor_class] += c.count; });
  std::int32_t total = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    PARK_ASSERT(round_.left[c] >= 0);
    PARK_ASSERT(held[c] == (of_stage ? stage_executors_[round_.source.id * classes_ + c]
                                     : queue_of(pool_of(round_.source), c).count));
    total += round_.left[c];
  }
  PARK_ASSERT(total == round_.total && total > 0);
}

}  // namespace park::dag_scheduling

#endif
