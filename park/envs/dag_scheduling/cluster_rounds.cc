// Rounds of decisions. pending_ lists the sources of executors that became free at this instant; a
// round takes the first one, asks for one commitment after the other, and ends when nothing may be
// chosen. Then settle sends the executors at hand where they were promised; executors of a stage
// that still run keep their promises until they finish. Starved executors are offered again when a
// stage becomes runnable. The counters of what may be chosen are kept up to date by update_demand.
#include <algorithm>

#include "park/envs/dag_scheduling/cluster.h"

namespace park::dag_scheduling {

// ---------------------------------------------------------------- rounds

void Cluster::offer(Source source) {
  if (std::ranges::find(pending_, source) == pending_.end()) pending_.push_back(source);
}

/// True when there is a decision to take.
bool Cluster::open_round() {
  for (;;) {
    if (round_.active) {
      if (has_choice()) return true;
      settle();
    } else if (!next_round()) {
      return false;
    }
  }
}

bool Cluster::next_round() {
  while (!pending_.empty()) {
    const Source source = pending_.front();
    pending_.erase(pending_.begin());
    if (begin_round(source)) return true;
  }
  Source source;
  return starved_total_ > 0 && find_starved(source) && begin_round(source);
}

/// False where the source has no executors to hand out.
bool Cluster::begin_round(Source source) {
  round_ = {.active = true, .source = source};
  if (source.kind == Source::Kind::stage) round_.job = stages_[source.id].job;
  if (source.kind == Source::Kind::job) round_.job = source.id;
  count_source();
  round_.active = round_.total > 0;
  if (round_.active && round_.job != kNone) touch_job(round_.job);
  return round_.active;
}

void Cluster::count_source() {
  const Source& source = round_.source;
  for (std::size_t c = 0; c < classes_; ++c)
    round_.left[c] = source.kind == Source::Kind::stage ? stage_executors_[source.id * classes_ + c]
                                                        : queue_of(pool_of(source), c).count;
  if (source.kind == Source::Kind::stage)
    commitments_.for_each(stages_[source.id].commitments, [this](const Commitment& c) {
      round_.left[c.executor_class] -= c.count;
    });
  for (std::size_t c = 0; c < classes_; ++c) round_.total += round_.left[c];
}

std::size_t Cluster::pool_of(const Source& source) const noexcept {
  return source.kind == Source::Kind::job     ? job_pool(source.id)
         : source.kind == Source::Kind::loose ? kLoose
                                              : kCommon;
}

bool Cluster::has_choice() const noexcept {
  if (round_.total == 0) return false;
  const ClassCounts& stages = round_.source.runnable_only ? runnable_ : schedulable_;
  for (std::size_t c = 0; c < classes_; ++c)
    if (round_.left[c] > 0 && stages[c] > blocked_[c]) return true;
  return false;
}

std::int32_t Cluster::kept(std::uint32_t slot) const noexcept {
  const JobState& job = jobs_[slot];
  const std::int32_t held = job.executors + job.moving + job.committed;
  return round_.active && slot == round_.job ? held - round_.total : held;
}

bool Cluster::offered(const StageState& s, std::size_t executor_class) const noexcept {
  return round_.active && round_.left[executor_class] > 0 &&
         (fits(s) & ~s.chosen) >> executor_class & 1;
}

bool Cluster::legal(const StageState& s) const noexcept {
  if (!s.schedulable || (round_.source.runnable_only && s.parents_left > 0)) return false;
  for (std::size_t c = 0; c < classes_; ++c)
    if (offered(s, c)) return true;
  return false;
}

void Cluster::commit(std::uint32_t stage, std::int32_t limit, std::uint32_t executor_class) {
  StageState& s = stages_[stage];
  JobState& job = jobs_[s.job];
  const std::int32_t count =
      std::min({limit - kept(s.job), s.demand(), round_.left[executor_class]});
  PARK_ASSERT(count > 0 && legal(s) && offered(s, executor_class));
  const Source& source = round_.source;
  commitments_.add(
      source.kind == Source::Kind::stage ? stages_[source.id].commitments : round_commitments_,
      {stage, executor_class, count});
  s.committed += count;
  if (s.job != round_.job) job.committed += count;
  round_.left[executor_class] -= count;
  round_.total -= count;
  touch(stage);
  if (round_.job != kNone) touch_job(round_.job);
  update_demand(stage);
  if (s.chosen == 0) chosen_.push_back(stage);
  s.chosen |= 1u << executor_class;
  if (s.schedulable) ++blocked_[executor_class];
}

// ---------------------------------------------------------------- the end of a round

/// Nothing is left to decide: the executors at hand go where they were promised.
void Cluster::settle() {
  note_starving();
  clear_choices();
  if (round_.job != kNone) touch_job(round_.job);
  round_.active = false;
  if (round_.source.kind == Source::Kind::stage)
    settle_stage(round_.source.id);
  else
    settle_pool(pool_of(round_.source));
  round_ = {};
}

/// Which classes of executors had no stage to choose, for any limit.
void Cluster::note_starving() {
  const ClassCounts& stages = round_.source.runnable_only ? runnable_ : schedulable_;
  for (std::size_t c = 0; c < classes_; ++c)
    starving_[c] = (!compat_ || classes_ > 1) && round_.left[c] > 0 && stages[c] == 0;
}

void Cluster::clear_choices() {
  for (const std::uint32_t stage : chosen_) {
    stages_[stage].chosen = 0;
    touch(stage);
  }
  chosen_.clear();
  blocked_.fill(0);
}

/// Of the stage's executors only those that have finished are at hand; the others go when they
/// finish. The released simulator promises also those for which there was no choice: to nothing.
void Cluster::settle_stage(std::uint32_t stage) {
  CommitmentList& promises = stages_[stage].commitments;
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (compat_ && round_.left[c] > 0) commitments_.add(promises, {kNone, c, round_.left[c]});
  at_hand_.clear();
  std::erase_if(waiting_, [&](std::uint32_t e) {
    if (executors_[e].stage != stage) return false;
    at_hand_.push_back(e);
    return true;
  });
  for (const std::uint32_t e : at_hand_) {
    std::uint32_t target = kNone;
    if (commitments_.take(promises, executors_[e].executor_class, target))
      fulfil_promise(e, target);
    else
      leave_idle(e);
  }
}

void Cluster::settle_pool(std::size_t pool) {
  std::array<std::uint32_t, kMaxClasses> members{};
  for (std::size_t c = 0; c < classes_; ++c) {
    members[c] = take_all(pool, c);
    for (std::uint32_t e = members[c]; e != kNone; e = executors_[e].next) {
      if (!executors_[e].starved) continue;
      executors_[e].starved = false;
      --starved_[c];
      --starved_total_;
    }
  }
  while (round_commitments_.head != kNone) {
    const std::uint32_t c = commitments_.front(round_commitments_).executor_class;
    const std::uint32_t e = members[c];
    members[c] = executors_[e].next;
    std::uint32_t target = kNone;
    commitments_.take(round_commitments_, c, target);
    fulfil_promise(e, target);
  }
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::uint32_t e = members[c]; e != kNone;) {
      const std::uint32_t following = executors_[e].next;
      leave_idle(e);
      e = following;
    }
}

/// There was no choice for the executor.
void Cluster::leave_idle(std::uint32_t executor) {
  idle_anywhere(executor);
  ExecutorState& x = executors_[executor];
  if (!starving_[x.executor_class]) return;
  x.starved = true;
  ++starved_[x.executor_class];
  ++starved_total_;
}

// ---------------------------------------------------------------- starved executors

/// The first pool with executors that were left idle for lack of a choice and that now fit a
/// runnable stage with tasks that nobody is assigned to.
bool Cluster::find_starved(Source& source) const {
  std::uint32_t classes = 0;
  for (std::size_t c = 0; c < classes_; ++c)
    if (starved_[c] > 0 && runnable_[c] > 0) classes |= 1u << c;
  if (classes == 0) return false;
  source = {.kind = Source::Kind::common, .runnable_only = true};
  if (holds_starved(kCommon, classes)) return true;
  for (const std::uint32_t slot : active_) {
    source = {.kind = Source::Kind::job, .runnable_only = true, .id = slot};
    if (holds_starved(job_pool(slot), classes)) return true;
  }
  return false;
}

bool Cluster::holds_starved(std::size_t pool, std::uint32_t classes) const noexcept {
  for (std::size_t c = 0; c < classes_; ++c)
    for (std::uint32_t e = queue_of(pool, c).head; e != kNone; e = executors_[e].next)
      if ((classes >> c & 1) != 0 && executors_[e].starved) return true;
  return false;
}

/// Nothing will happen although jobs are present: all executors idle, and the choices made so far
/// left each job without one that fits its runnable stages. All are offered again.
void Cluster::wake_all() {
  for (ExecutorState& x : executors_) {
    if (x.starved) continue;
    x.starved = true;
    ++starved_[x.executor_class];
    ++starved_total_;
  }
}

// ---------------------------------------------------------------- commitments

/// REQUIRES that the executor still belongs to the job that made the promise.
void Cluster::fulfil_promise(std::uint32_t executor, std::uint32_t target) {
  if (target == kNone) return idle_anywhere(executor);
  StageState& s = stages_[target];
  --s.committed;
  if (s.job != executors_[executor].job) --jobs_[s.job].committed;
  touch(target);
  update_demand(target);
  fulfil(executor, target);
}

// ---------------------------------------------------------------- what may be chosen

void Cluster::touch(std::uint32_t stage) {
  StageState& s = stages_[stage];
  if (s.touched) return;
  s.touched = true;
  touched_stages_.push_back(stage);
  touch_job(s.job);
}

void Cluster::touch_job(std::uint32_t slot) {
  if (jobs_[slot].touched) return;
  jobs_[slot].touched = true;
  touched_jobs_.push_back(slot);
}

void Cluster::clear_changes() noexcept {
  for (const std::uint32_t stage : touched_stages_) stages_[stage].touched = false;
  for (const std::uint32_t slot : touched_jobs_) jobs_[slot].touched = false;
  touched_stages_.clear();
  touched_jobs_.clear();
  job_changes_.clear();
}

void Cluster::update_demand(std::uint32_t stage) {
  const StageState& s = stages_[stage];
  const bool unsaturated = s.demand() > 0;
  if (unsaturated != s.unsaturated) [[unlikely]]
    set_unsaturated(stage, unsaturated);
}

void Cluster::set_unsaturated(std::uint32_t stage, bool unsaturated) {
  StageState& s = stages_[stage];
  s.unsaturated = unsaturated;
  update_schedulable(stage);
  const std::uint32_t first = jobs_[s.job].first;
  for (const std::uint16_t index : model_->children(model_->stage(s.plan))) {
    stages_[first + index].parents_unsaturated += unsaturated ? 1 : -1;
    update_schedulable(first + index);
  }
}

void Cluster::update_schedulable(std::uint32_t stage) {
  StageState& s = stages_[stage];
  const bool schedulable = s.unsaturated && s.parents_unsaturated == 0;
  if (schedulable == s.schedulable) return;
  s.schedulable = schedulable;
  const std::int32_t by = schedulable ? 1 : -1;
  for (std::uint32_t c = 0, f = fits(s); f != 0; ++c, f >>= 1) {
    if ((f & 1) == 0) continue;
    schedulable_[c] += by;
    if (!schedulable && (s.chosen >> c & 1) != 0) --blocked_[c];
  }
  if (s.parents_left == 0) count_runnable(s, by);
  touch(stage);
}

void Cluster::count_runnable(const StageState& s, std::int32_t by) noexcept {
  for (std::uint32_t c = 0, f = fits(s); f != 0; ++c, f >>= 1)
    if ((f & 1) != 0) runnable_[c] += by;
}

}  // namespace park::dag_scheduling
