// What both models of a cluster share: the jobs of an episode, those that are present, the clock
// and some sums. Rewards and metrics are made of the sums. A model adds its moves and how time
// passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/id_vector.h"
#include "park/envs/dl_cluster/config.h"
#include "park/envs/dl_cluster/job_source.h"
#include "park/envs/dl_cluster/layout.h"
#include "park/envs/dl_cluster/timeline.h"

namespace park::dl_cluster {

/// A change of one job's grant, or the end of a slot or round.
struct Move {
  MoveKind kind = MoveKind::end;
  std::int32_t job = 0;                   ///< its place among the jobs present
  std::int32_t workers = 0, servers = 0;  ///< of the job afterwards
};

/// A job of the episode.
struct Job {
  JobInput input;
  double done = 0;  ///< work
  std::int32_t workers = 0, servers = 0;
  std::int32_t last_workers = 0, last_servers = 0;  ///< when time last passed
  std::int32_t changes = 0;
  double attained_s = 0;
  double blocked_until_s = 0;         ///< no progress before: its grant has changed
  double job_seconds_at_arrival = 0;  ///< integral of the jobs present, then
  double bound_s = 0;                 ///< alone at its best speed
  double granted_since_s = 0;         ///< for the timeline
};

/// Sums of an episode.
struct ClusterFigures {
  double job_seconds = 0;    ///< integral of the jobs present
  double paper_reward = 0;   ///< sum over jobs of the shares of their work that were done
  double alone_seconds = 0;  ///< that these shares take jobs that are alone at their best speed
  double task_seconds = 0;   ///< of workers and servers granted
  double slot_seconds = 0;   ///< of the first resource granted
  double worst_fairness = 0;
  std::uint64_t changes = 0, events = 0;
};

/// The time from arrival to completion of a job.
struct Completion {
  std::int32_t job = 0;
  double time_s = 0;
};

/// The copy that a model's `clone` returns.
template <class Model>
[[nodiscard]] std::unique_ptr<Model> copy_of(const Model& model) {
  auto copy = std::make_unique<Model>(model);
  copy->timeline().set(nullptr);
  return copy;
}

/// A cluster that trains jobs. REQUIRES begin before anything but sizes, capacity, timeline and
/// write_fixed.
class TrainingCluster {
 public:
  virtual ~TrainingCluster() = default;
  TrainingCluster& operator=(const TrainingCluster&) = delete;
  /// An independent copy in the same state; its timeline is off. nullptr: a running cluster has none.
  [[nodiscard]] virtual std::unique_ptr<TrainingCluster> clone() const { return nullptr; }
  [[nodiscard]] ClusterTimeline& timeline() noexcept { return timeline_; }

  /// A new episode: time 0, the first jobs have arrived.
  void begin(const Episode&);
  /// What may be done now; the last one ends the slot or round.
  virtual void list(std::vector<Move>&) const = 0;
  /// Draws the jobs to come and the noise anew.
  void draw_future(std::uint64_t seed);
  /// No time passes. REQUIRES a move that is listed and is not the end.
  virtual void apply(const Move&) = 0;
  /// Time passes to the next moment of decisions, to the last completion or to `until_s`.
  virtual void pass(double until_s) = 0;
  /// The episode ends: reports what jobs still hold.
  virtual void close() {}

  [[nodiscard]] double now_s() const noexcept { return now_s_; }
  [[nodiscard]] bool done() const noexcept { return present_.empty() && arrived_ == jobs_.size(); }
  /// Numbers of the jobs present, in the order of arrival.
  [[nodiscard]] std::span<const std::int32_t> present() const noexcept { return present_; }
  /// How many of these rows show, from the first one on.
  [[nodiscard]] std::int32_t shown() const noexcept;
  [[nodiscard]] std::span<const Job> jobs() const noexcept { return jobs_; }
  [[nodiscard]] const ClusterFigures& figures() const noexcept { return figures_; }
  /// Times from arrival to completion.
  [[nodiscard]] std::span<const double> completion_times_s() const noexcept { return jct_s_; }

  // What rows are made of.
  [[nodiscard]] virtual ClusterSizes sizes() const = 0;
  /// The element of `types` that a job belongs to.
  [[nodiscard]] virtual std::int32_t type_of(const Job&) const = 0;
  /// Writes what follows from the configuration alone: config.*, types.
  virtual void write_fixed(const ClusterLayout&, Row) const = 0;
  /// Free resources of all nodes. [nodes, resources]
  [[nodiscard]] virtual std::span<const float> node_free() const = 0;
  /// [resources]
  [[nodiscard]] virtual std::span<const float> capacity() const = 0;
  /// What one worker, and one server, of a job takes. [resources]
  [[nodiscard]] virtual std::span<const double> worker_demand(const Job&) const = 0;
  [[nodiscard]] virtual std::span<const double> server_demand(const Job&) const = 0;

 protected:
  TrainingCluster(const DlClusterConfig&, std::vector<double> epochs);
  TrainingCluster(const TrainingCluster&) = default;

  /// Clears what the model has of the episode before.
  virtual void begin_model(const Episode&) = 0;
  /// The noise that follows is that of other dynamics.
  virtual void begin_noise(std::uint64_t dynamics) { static_cast<void>(dynamics); }
  /// The completion time of a job alone on so large a share of the cluster, from its arrival on.
  [[nodiscard]] virtual double alone_s(const Job&, double share) const = 0;

  [[nodiscard]] double next_arrival_s() const noexcept {
    return arrived_ < jobs_.size() ? jobs_[arrived_].input.arrival_s : kInf;
  }
  /// Jobs that have arrived by now become present.
  void take_arrivals();
  /// Moves the clock; the jobs in `completed_` are gone at their times, which are sorted here.
  void complete_until(double until_s);
  [[nodiscard]] Job& job_at(std::int32_t place) noexcept {
    return jobs_[static_cast<std::size_t>(present_[static_cast<std::size_t>(place)])];
  }
  [[nodiscard]] const Job& job_at(std::int32_t place) const noexcept {
    return jobs_[static_cast<std::size_t>(present_[static_cast<std::size_t>(place)])];
  }
  /// So much work of a job is done.
  void advance(Job&, double work);
  /// Counts what is granted to a job for that long.
  void count_grant(Job&, double seconds);
  [[nodiscard]] JobSource& source() noexcept { return source_; }

  DlClusterConfig config_;
  double now_s_ = 0;
  IdVector<Job> jobs_;
  std::size_t arrived_ = 0;
  IdVector<std::int32_t> present_;
  std::vector<Completion> completed_;
  ClusterFigures figures_;
  ClusterTimeline timeline_;

 private:
  void finish(const Completion&);

  JobSource source_;
  std::vector<JobInput> inputs_;
  std::vector<double> jct_s_;
};

}  // namespace park::dl_cluster
