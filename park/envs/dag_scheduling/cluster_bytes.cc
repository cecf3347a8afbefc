// The state of a cluster as bytes, for those who look for the best decisions: what the future
// depends on, with times relative to now. Executors have no numbers in it. Each is described by
// where it is: its event and the place of that among all events, its place in a pool or among those
// that wait. The descriptions are sorted, so executors that change places give the same bytes.
// DagScheduling::append_state calls it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "park/envs/dag_scheduling/cluster.h"

namespace park::dag_scheduling {
namespace {

template <class... T>
void put(std::string& out, const T&... values) {
  static_assert((std::is_arithmetic_v<T> && ...));
  (out.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
}

/// Where an executor is among others.
struct ExecutorPlace {
  Ticks event = -1;           ///< from now on
  std::uint32_t rank = 0;     ///< of the event
  std::uint32_t pool = 0;     ///< 1 + its number
  std::uint32_t in_pool = 0;  ///< executors before it there
  std::uint32_t waits = 0;    ///< 1 + its place among those that wait
};

/// How many runnable stages of a job Cluster::back_up_in_job prefers to this one. Stages that became
/// runnable at once are in the order of their numbers. The order of other stages matters no more.
std::uint32_t rank_in_job(std::span<const StageState> stages, std::size_t which) {
  const StageState& own = stages[which];
  if (!own.runnable()) return 0;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (stages[i].runnable() &&
        (stages[i].ready < own.ready || (stages[i].ready == own.ready && i < which)))
      ++before;
  return before;
}

}  // namespace

void Cluster::append_state(std::string& out) const {
  append_jobs(out);
  append_executors(out);
  append_round(out);
  const Ticks next = stream_.next_time();
  put(out, stream_.count(), next == kNever ? kNever : next - now_);
  put(out, horizon_s_ == kInf ? kInf : horizon_s_ - to_seconds(now_), static_cast<int>(end_));
}

void Cluster::append_jobs(std::string& out) const {
  const auto put_promises = [&](const CommitmentList& list) {
    commitments_.for_each(
        list, [&](const Commitment& c) { put(out, c.target, c.executor_class, c.count); });
    put(out, kNone);
  };
  const bool aged = objective_ == Objective::tail || objective_ == Objective::deadline;
  for (const Ticks time : worst_.times()) put(out, time);
  put(out, active_.size());
  for (const std::uint32_t slot : active_) {
    const JobState& job = jobs_[slot];
    put(out, slot, job.number, job.plan, job.first, job.executors, job.moving, job.committed);
    if (aged) put(out, job.arrival - now_);
    const std::span of_job(&stages_[job.first], job.stages);
    for (std::uint32_t i = 0; i < job.stages; ++i) {
      const StageState& s = of_job[i];
      put(out, s.key, s.launched, s.finished, s.committed, s.moving, s.chosen);
      put(out, s.parents_left, s.parents_unsaturated, s.unsaturated, s.schedulable,
          rank_in_job(of_job, i));
      put_promises(s.commitments);
    }
  }
  put_promises(round_commitments_);
}

void Cluster::append_executors(std::string& out) const {
  std::vector<ExecutorPlace> places(executors_.size());
  std::uint32_t rank = 0;
  for (auto events = queue_; !events.empty(); events.close_hole()) {
    const Ticks time = events.time();
    ExecutorPlace& place = places[events.take()];
    place.event = time - now_;
    place.rank = rank++;
  }
  for (std::size_t q = 0; q < pools_.size(); ++q) {
    std::uint32_t before = 0;
    for (std::uint32_t e = pools_[q].head; e != kNone; e = executors_[e].next) {
      places[e].pool = static_cast<std::uint32_t>(q / classes_) + 1;
      places[e].in_pool = before++;
    }
  }
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    places[waiting_[i]].waits = static_cast<std::uint32_t>(i) + 1;
  std::vector<std::string> all;
  for (std::size_t e = 0; e < executors_.size(); ++e) {
    const ExecutorState& x = executors_[e];
    const ExecutorPlace& p = places[e];
    std::string& one = all.emplace_back();
    put(one, x.executor_class, x.job, x.stage, x.previous, x.target, x.moving, x.starved);
    put(one, p.event, p.rank, p.pool, p.in_pool, p.waits);
  }
  std::ranges::sort(all);
  for (const std::string& one : all) out += one;
}

void Cluster::append_round(std::string& out) const {
  const auto put_source = [&](const Source& s) {
    put(out, static_cast<int>(s.kind), s.runnable_only, s.id);
  };
  put(out, round_.active, round_.job, round_.total);
  put_source(round_.source);
  for (std::size_t c = 0; c < classes_; ++c) put(out, round_.left[c], starving_[c]);
  put(out, pending_.size(), chosen_.size());
  for (const Source& s : pending_) put_source(s);
  for (const std::uint32_t stage : chosen_) put(out, stage);
}

}  // namespace park::dag_scheduling
