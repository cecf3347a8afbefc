// ClusterView reads one row of the observation for the scheduling policies. `look` takes spans of
// the row's leaves and finds the stages of each job and the source; questions are answered from
// these spans. It holds no copy of the row. Policies call look once per row that asks, then pick a
// stage and make the Assignment with give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::dag_scheduling {

/// An action of dag_scheduling: executors of one class go to a stage until its job holds `limit`.
struct Assignment {
  std::int32_t stage = 0, limit = 1, executor_class = 0;
  bool operator==(const Assignment&) const = default;
};

/// One observation of dag_scheduling in the terms of the scheduling policies. Jobs are numbered as
/// in the row, in their order of arrival; so are stages, and those of one job are adjacent.
///
/// The source is the set of executors that this round of decisions hands out. It is the pool of a
/// job, the executors of a stage, or the idle executors of the cluster.
///
/// Views the row given to `look` until the next call. Allocates nothing once it has seen its
/// largest row.
class ClusterView {
 public:
  /// Throws Error{invalid_space} if the spec is not that of a cluster.
  explicit ClusterView(const Spec&);
  /// Throws Error{invalid_space} if the stages of the jobs are not those of the row.
  void look(ConstRow observation);
  void write(const Assignment&, Row action) const;

  /// Executors of the cluster, all classes together.
  [[nodiscard]] std::int32_t executors() const noexcept { return executors_; }
  /// Time of the episode.
  [[nodiscard]] double time_s() const noexcept { return time_s_; }
  [[nodiscard]] std::size_t classes() const noexcept { return class_cpus_.size(); }

  // Jobs.
  [[nodiscard]] std::size_t jobs() const noexcept { return work_.size(); }
  /// Its number in the episode, by arrival.
  [[nodiscard]] std::size_t id(std::size_t job) const { return static_cast<std::size_t>(id_[job]); }
  /// The job whose executors this round hands out; nothing if they are those of no job.
  [[nodiscard]] std::optional<std::size_t> source() const noexcept { return source_; }
  /// Whether it has tasks to which no executor is assigned.
  [[nodiscard]] bool live(std::size_t job) const { return demand_[job] > 0; }
  [[nodiscard]] std::size_t live_jobs() const;
  /// Tasks times mean duration, summed over all its stages; executor-seconds.
  [[nodiscard]] double work(std::size_t job) const { return work_[job]; }
  /// The same of the tasks that are not launched.
  [[nodiscard]] double work_left(std::size_t job) const { return work_left_[job]; }
  /// When it is late unless it is done; beyond every time where jobs have no deadlines.
  [[nodiscard]] double deadline_s(std::size_t job) const {
    return deadline_s_.empty() ? DagLayout::kMostSeconds : deadline_s_[job];
  }
  /// Executors attached to it, on their way to it, and committed to it by other jobs.
  [[nodiscard]] std::int32_t held(std::size_t job) const {
    return static_cast<std::int32_t>(attached_[job] + moving_[job] + committed_[job]);
  }
  /// The same without the executors of this round: the number that no decision takes away.
  [[nodiscard]] std::int32_t kept(std::size_t job) const { return limit_min_[job] - 1; }
  [[nodiscard]] std::size_t first_stage(std::size_t job) const { return first_stage_[job]; }
  [[nodiscard]] std::size_t end_stage(std::size_t job) const { return first_stage_[job + 1]; }

  // Stages.
  [[nodiscard]] std::size_t stages() const noexcept { return legal_.size(); }
  [[nodiscard]] std::size_t job_of(std::size_t stage) const {
    return static_cast<std::size_t>(job_of_[stage]);
  }
  /// May be chosen now.
  [[nodiscard]] bool legal(std::size_t stage) const { return legal_[stage] != 0; }
  /// Whether its parents have finished, so that its tasks can start at once.
  [[nodiscard]] bool runnable(std::size_t stage) const { return runnable_[stage] != 0; }
  /// When its last parent finished, or its job arrived where it has none; negative before.
  [[nodiscard]] double ready_s(std::size_t stage) const { return ready_s_[stage]; }
  /// Tasks to which no executor is assigned.
  [[nodiscard]] std::int32_t demand(std::size_t stage) const {
    return static_cast<std::int32_t>(tasks_left_[stage] - to_stage_[stage] - moving_to_[stage]);
  }
  /// Tasks that are not launched.
  [[nodiscard]] double tasks_left(std::size_t stage) const { return tasks_left_[stage]; }
  [[nodiscard]] double mean_duration_s(std::size_t stage) const { return mean_duration_s_[stage]; }
  /// Its own work and the largest chain of work below it; executor-seconds.
  [[nodiscard]] double critical_path_s(std::size_t stage) const { return critical_path_s_[stage]; }
  [[nodiscard]] double cpus(std::size_t stage) const { return cpus_[stage]; }
  [[nodiscard]] double memory(std::size_t stage) const { return memory_[stage]; }

  struct Edge {
    std::size_t parent, child;
  };
  [[nodiscard]] std::size_t edges() const noexcept { return edge_parent_.size(); }
  [[nodiscard]] Edge edge(std::size_t e) const {
    return {static_cast<std::size_t>(edge_parent_[e]), static_cast<std::size_t>(edge_child_[e])};
  }

  // Executor classes.
  [[nodiscard]] double class_cpus(std::size_t c) const { return class_cpus_[c]; }
  [[nodiscard]] double class_memory(std::size_t c) const { return class_memory_[c]; }
  /// Executors of the whole cluster of this class.
  [[nodiscard]] double class_size(std::size_t c) const { return class_size_[c]; }
  /// Executors of the source that are still to be handed out.
  [[nodiscard]] std::int32_t source_executors(std::size_t c) const {
    return static_cast<std::int32_t>(source_executors_[c]);
  }
  /// The source has executors of this class and a task of the stage fits them.
  [[nodiscard]] bool offers(std::size_t stage, std::size_t c) const {
    return fits_[stage * classes() + c] != 0;
  }
  /// A task of the stage fits executors of this class, wherever they are.
  [[nodiscard]] bool fits(std::size_t stage, std::size_t c) const {
    return cpus_[stage] <= class_cpus_[c] && memory_[stage] <= class_memory_[c];
  }
  /// The offered class with the least memory, then the fewest cpus. REQUIRES a legal stage.
  [[nodiscard]] std::size_t best_fit(std::size_t stage) const;

  // Choices.
  /// The legal stage of a job with the smallest key (ties: the order of stages); runnable stages
  /// come before all others. Nothing if none is legal.
  template <class Key>
  [[nodiscard]] std::optional<std::size_t> pick(std::size_t job, Key key) const {
    return pick(first_stage(job), end_stage(job), key);
  }
  /// The first one in the order of stages.
  [[nodiscard]] std::optional<std::size_t> pick_first(std::size_t job) const {
    return pick(job, [](std::size_t) { return 0; });
  }
  /// The stage that has been runnable for the longest time.
  [[nodiscard]] std::optional<std::size_t> pick_longest_ready(std::size_t job) const {
    return pick(job, [this](std::size_t s) { return runnable(s) ? ready_s(s) : 0; });
  }
  /// The stage with the largest critical-path work.
  [[nodiscard]] std::optional<std::size_t> pick_critical(std::size_t job) const {
    return pick(job, [this](std::size_t s) { return -critical_path_s(s); });
  }
  /// The same over all jobs.
  template <class Key>
  [[nodiscard]] std::optional<std::size_t> pick_any(Key key) const {
    return pick(0, stages(), key);
  }

  static constexpr std::int32_t kNoBound = std::numeric_limits<std::int32_t>::max();
  /// Gives a stage min(its demand, `room`, what the source has of the class) executors.
  /// REQUIRES a legal stage and `room` >= 1.
  [[nodiscard]] Assignment give(std::size_t stage, std::int32_t room = kNoBound) const {
    return give(stage, room, best_fit(stage));
  }
  [[nodiscard]] Assignment give(std::size_t stage, std::int32_t room, std::size_t c) const;

  /// A key that leaves a job out of by_ascending.
  static constexpr double kLeftOut = std::numeric_limits<double>::infinity();
  /// Offers the jobs by ascending key(job) (ties: arrival) to `offer(job)`, which returns an
  /// optional<Assignment>, until one is made.
  template <class Key, class Offer>
  std::optional<Assignment> by_ascending(Key key, Offer offer);

  /// Gives the first legal stage, by arrival and order of stages, as many executors as it demands.
  /// There is one at every decision.
  [[nodiscard]] Assignment first_legal() const;

 private:
  void look_at_stages(ConstRow);
  void look_at_jobs(ConstRow);
  template <class Key>
  [[nodiscard]] std::optional<std::size_t> pick(std::size_t begin, std::size_t end, Key key) const;

  DagLayout layout_;
  std::span<const std::int32_t> job_of_, id_, limit_min_, limit_max_, edge_parent_, edge_child_;
  std::span<const float> tasks_left_, to_stage_, moving_to_, mean_duration_s_, critical_path_s_,
      cpus_, memory_;
  std::span<const double> ready_s_;
  std::span<const double> deadline_s_;  // [jobs], or empty where they have none
  std::span<const std::uint8_t> runnable_, legal_, fits_;
  std::span<const float> work_, work_left_, attached_, moving_, committed_, demand_;
  std::span<const float> class_size_, source_executors_, class_cpus_, class_memory_;
  std::int32_t executors_ = 0;
  double time_s_ = 0;
  std::optional<std::size_t> source_;
  std::vector<std::size_t> first_stage_;               // [jobs + 1]
  std::vector<std::pair<double, std::size_t>> queue_;  // keys and jobs, of by_ascending
};

template <class Key>
std::optional<std::size_t> ClusterView::pick(std::size_t begin, std::size_t end, Key key) const {
  std::optional<std::size_t> best;
  for (std::size_t s = begin; s < end; ++s) {
    if (!legal(s)) continue;
    const bool better = !best || runnable(s) > runnable(*best) ||
                        (runnable(s) == runnable(*best) && key(s) < key(*best));
    if (better) best = s;
  }
  return best;
}

template <class Key, class Offer>
std::optional<Assignment> ClusterView::by_ascending(Key key, Offer offer) {
  queue_.clear();
  for (std::size_t j = 0; j < jobs(); ++j)
    if (const double k = key(j); k != kLeftOut) queue_.emplace_back(k, j);
  std::ranges::make_heap(queue_, std::greater{});
  for (; !queue_.empty(); queue_.pop_back()) {
    std::ranges::pop_heap(queue_, std::greater{});
    if (const auto made = offer(queue_.back().second)) return made;
  }
  return std::nullopt;
}

}  // namespace park::dag_scheduling
