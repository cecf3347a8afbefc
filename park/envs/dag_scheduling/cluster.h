// Cluster is the state of the simulator and the four groups of functions that change it. Each group
// is in a file of its own: events (cluster.cc), jobs (cluster_jobs.cc), executors
// (cluster_executors.cc), and rounds with their commitments (cluster_rounds.cc). What decisions
// cost is in cluster_objective.cc. Executors, jobs and stages are arrays of plain structs; pools
// and promises are lists linked by index. The environment calls start, then commit and advance for
// every decision; Observation reads the state and what was touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "park/core/env.h"
#include "park/core/id_vector.h"
#include "park/core/rng.h"
#include "park/envs/dag_scheduling/cluster_model.h"
#include "park/envs/dag_scheduling/cluster_state.h"
#include "park/envs/dag_scheduling/job_log.h"
#include "park/envs/dag_scheduling/job_stream.h"
#include "park/envs/dag_scheduling/objective.h"
#include "park/envs/dag_scheduling/timeline.h"
#include "park/sim/event_queue.h"

namespace park::dag_scheduling {

/// The simulator: executors, jobs, and rounds of decisions. README.md in this folder gives the
/// rules. It advances from decision to decision, and notes what changed in between, so that an
/// image of it can be patched. Copyable; one thread at a time.
///
/// Invariants, whenever `advance` returns true or the episode has terminated. Builds with assertions
/// check them (cluster_invariants.cc).
///   - An executor is in one of four states. It moves: it has an event, and no job and no stage. It
///     runs a task: it has an event, a stage, and that stage's job. It waits: it has a stage that
///     has launched all tasks, and that stage's job. It is idle: it has no stage and is in one
///     pool. That is the pool of its job, or the common or the loose one without a job.
///   - running_, moving_ and starved_ count executors of a class; stage_executors_ those that run a
///     task of a stage or wait there. JobState::executors counts those that have the job,
///     StageState::moving those that move to the stage, JobState::moving the sum over the job.
///   - A stage has 0 <= finished <= launched <= tasks, and no task of it is launched before all
///     parents have finished. Its demand() may be negative; unsaturated says whether that is
///     positive.
///   - parents_left and parents_unsaturated count parents. schedulable: unsaturated, and no parent
///     is. schedulable_, runnable_ and blocked_ count the stages that fit a class.
///   - StageState::committed counts the promises to the stage; JobState::committed those to the job
///     that no stage or pool of the job itself made. Promises to a job end with it.
///   - In a round the source has, for each class, as many executors as are promised and left
///     together. Outside of a round no stage is chosen and no pool has promises.
class Cluster {
 public:
  explicit Cluster(std::shared_ptr<const ClusterModel>);
  /// A new episode, at time 0 with no job.
  void reset(const Episode&);
  /// Runs to the first decision, which comes before the horizon takes effect.
  void start();
  /// Runs to the next decision: true, or to the end.
  bool advance();
  /// Answers the decision: up to `limit` executors of its job in all, of one class. REQUIRES that
  /// the choice is legal.
  void commit(std::uint32_t stage, std::int32_t limit, std::uint32_t executor_class);
  /// Since the last call, or the start.
  [[nodiscard]] Outcome take_outcome();
  /// Draws anew what has not happened: the jobs to come, and every task that is not launched.
  void draw_future(std::uint64_t seed);
  /// Futures::append_state: cluster_bytes.cc.
  void append_state(std::string& out) const;

  // Time and figures.
  [[nodiscard]] double time_s() const noexcept { return time_s_; }
  [[nodiscard]] double last_arrival_s() const noexcept { return to_seconds(last_arrival_); }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }
  /// Since the first arrival.
  [[nodiscard]] double makespan_s() const noexcept { return time_s_ - to_seconds(first_arrival_); }
  /// Executor-seconds of running tasks so far.
  [[nodiscard]] double busy_s() const noexcept;
  /// They have no times where the objective is not tail.
  [[nodiscard]] const WorstJobs& worst_jobs() const noexcept { return worst_; }
  /// Jobs that were done after their deadlines.
  [[nodiscard]] std::uint64_t late_jobs() const noexcept { return late_jobs_; }
  [[nodiscard]] JobLog& log() noexcept { return log_; }
  [[nodiscard]] const JobLog& log() const noexcept { return log_; }

  // State.
  [[nodiscard]] const ClusterModel& model() const noexcept { return *model_; }
  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  [[nodiscard]] const StageState& stage(std::uint32_t id) const noexcept { return stages_[id]; }
  [[nodiscard]] const JobState& job(std::uint32_t slot) const noexcept { return jobs_[slot]; }
  [[nodiscard]] std::span<const ExecutorState> executors() const noexcept { return executors_; }
  /// Slots of the jobs present, by arrival.
  [[nodiscard]] std::span<const std::uint32_t> active() const noexcept { return active_; }
  [[nodiscard]] const Round& round() const noexcept { return round_; }
  /// Executors of a class that neither run a task nor move.
  [[nodiscard]] std::int32_t idle(std::size_t executor_class) const noexcept {
    return model_->classes()[executor_class].size - running_[executor_class] -
           moving_[executor_class];
  }
  /// Executors that no decision takes from a job: those attached to it, on their way, and promised
  /// by others, without those of this round.
  [[nodiscard]] std::int32_t kept(std::uint32_t slot) const noexcept;
  /// The stage may be chosen in this round; with an executor of the class.
  [[nodiscard]] bool legal(const StageState&) const noexcept;
  [[nodiscard]] bool offered(const StageState&, std::size_t executor_class) const noexcept;

  // The changes since the last clear_changes.
  [[nodiscard]] std::span<const JobChange> job_changes() const noexcept { return job_changes_; }
  [[nodiscard]] std::span<const std::uint32_t> touched_stages() const noexcept {
    return touched_stages_;
  }
  [[nodiscard]] std::span<const std::uint32_t> touched_jobs() const noexcept {
    return touched_jobs_;
  }
  void clear_changes() noexcept;

  [[nodiscard]] Timeline& timeline() noexcept { return timeline_; }

 private:
  using ClassCounts = std::array<std::int32_t, kMaxClasses>;

  // Events: cluster.cc.
  [[nodiscard]] Ticks next_time() const noexcept;
  void process_instant(Ticks);
  void process_event();
  void finish_task(std::uint32_t executor);
  void leave_task(std::uint32_t executor, std::uint32_t stage);
  bool complete_stage(std::uint32_t stage);
  void arrive(std::uint32_t executor);
  void truncate();

  // The objective: cluster_objective.cc.
  void account_jobs() noexcept;
  void pass(double ticks) noexcept;
  [[nodiscard]] Ticks worst_sum() const noexcept;
  [[nodiscard]] double take_cost(double elapsed_s);

  // Jobs: cluster_jobs.cc.
  void add_job(const JobStream::Arrival&);
  void start_stages(std::uint32_t slot);
  [[nodiscard]] std::uint32_t take_slot();
  [[nodiscard]] std::uint32_t take_stages(std::uint32_t count);
  void remove_job(std::uint32_t slot);
  void release_executors(std::uint32_t slot);
  void forget_targets(const JobState&);
  void forget_commitments(const JobState&);

  // Executors: cluster_executors.cc.
  void start_task(std::uint32_t executor, std::uint32_t stage);
  void launch(std::uint32_t executor, std::uint32_t stage);
  void report_task(std::uint32_t executor, Wave) const;
  void move(std::uint32_t executor, std::uint32_t stage);
  void leave_stage(ExecutorState&) noexcept;
  void leave_job(ExecutorState&) noexcept;
  void idle_in_job(std::uint32_t executor);
  void idle_in_common(std::uint32_t executor);
  void idle_anywhere(std::uint32_t executor);
  void fulfil(std::uint32_t executor, std::uint32_t stage);
  void back_up(std::uint32_t executor);
  [[nodiscard]] std::uint32_t back_up_in_job(const ExecutorState&) const noexcept;
  [[nodiscard]] std::uint32_t back_up_anywhere(const ExecutorState&) const noexcept;

  // Rounds and commitments: cluster_rounds.cc.
  void offer(Source);
  bool open_round();
  bool next_round();
  bool begin_round(Source);
  void count_source();
  [[nodiscard]] bool has_choice() const noexcept;
  void settle();
  void settle_stage(std::uint32_t stage);
  void settle_pool(std::size_t pool);
  void clear_choices();
  [[nodiscard]] bool find_starved(Source&) const;
  [[nodiscard]] bool holds_starved(std::size_t pool, std::uint32_t classes) const noexcept;
  void wake_all();
  void note_starving();
  void leave_idle(std::uint32_t executor);
  [[nodiscard]] std::size_t pool_of(const Source&) const noexcept;
  void fulfil_promise(std::uint32_t executor, std::uint32_t target);

  // Invariants: cluster_invariants.cc, where assertions are on.
  [[nodiscard]] bool check_invariants() const;
  void check_places() const;
  void check_executors() const;
  void check_job(const JobState&) const;
  void check_choices() const;
  void check_promises() const;
  void check_round() const;

  // The state as bytes: cluster_bytes.cc.
  void append_jobs(std::string& out) const;
  void append_executors(std::string& out) const;
  void append_round(std::string& out) const;

  // Pools.
  [[nodiscard]] static constexpr std::size_t job_pool(std::uint32_t slot) noexcept {
    return 2 + std::size_t{slot};
  }
  [[nodiscard]] ExecutorQueue& queue_of(std::size_t pool, std::size_t executor_class) noexcept {
    return pools_[pool * classes_ + executor_class];
  }
  [[nodiscard]] const ExecutorQueue& queue_of(std::size_t pool,
                                              std::size_t executor_class) const noexcept {
    return pools_[pool * classes_ + executor_class];
  }
  void push(std::size_t pool, std::uint32_t executor) noexcept;
  /// Takes all executors of a class out of a pool; returns the first, linked to the others.
  std::uint32_t take_all(std::size_t pool, std::size_t executor_class) noexcept;

  // The legal choices.
  void touch(std::uint32_t stage);
  void touch_job(std::uint32_t slot);
  void update_demand(std::uint32_t stage);
  void set_unsaturated(std::uint32_t stage, bool);
  void update_schedulable(std::uint32_t stage);
  void count_runnable(const StageState&, std::int32_t by) noexcept;
  [[nodiscard]] std::uint32_t fits(const StageState& s) const noexcept {
    return model_->stage(s.plan).fits;
  }

  static constexpr std::size_t kCommon = 0, kLoose = 1;  // pools; then those of the jobs

  std::shared_ptr<const ClusterModel> model_;
  const DurationTable* durations_;
  std::size_t classes_;
  bool compat_;
  Ticks moving_delay_;
  Objective objective_;
  Timeline timeline_;

  JobStream stream_;
  Rng dynamics_;
  sim::EventQueue<Ticks, sim::Ties::scheduled> queue_;
  Ticks now_ = 0, horizon_ = kNever;
  double horizon_s_ = kInf, time_s_ = 0;
  End end_ = End::none;

  IdVector<ExecutorState> executors_;
  IdVector<JobState> jobs_;                 // by slot
  IdVector<StageState> stages_;             // by stage id
  IdVector<std::int32_t> stage_executors_;  // [stage ids][classes]: on the stage
  IdVector<ExecutorQueue> pools_;           // [2 + slots][classes]
  std::vector<std::uint32_t> active_;       // slots by arrival
  std::vector<std::uint32_t> free_slots_;
  std::array<std::vector<std::uint32_t>, 32> free_stages_;  // blocks of 2^k stage ids

  Commitments commitments_;
  CommitmentList round_commitments_;  // of a pool
  Round round_;
  std::vector<Source> pending_;         // to be offered at this instant
  std::vector<std::uint32_t> waiting_;  // executors of stages without tasks left to launch
  std::vector<std::uint32_t> chosen_;   // stages chosen in this round
  std::vector<std::uint32_t> at_hand_;  // of settle_stage
  std::array<bool, kMaxClasses> starving_{};
  ClassCounts running_{}, moving_{};  // executors
  ClassCounts schedulable_{};         // stages that fit the class
  ClassCounts runnable_{};            // those of them whose parents have finished
  ClassCounts blocked_{};             // schedulable, but chosen already
  ClassCounts starved_{};             // executors
  std::int32_t starved_total_ = 0;

  std::vector<JobChange> job_changes_;
  std::vector<std::uint32_t> touched_stages_, touched_jobs_;

  std::uint64_t events_ = 0, moves_ = 0;
  Ticks busy_ = 0;  // durations of the tasks launched
  Ticks first_arrival_ = 0, last_arrival_ = 0;
  double job_time_ = 0;      // ticks of jobs in the system since the last outcome
  Ticks accounted_ = 0;      // up to where job_time_ goes
  double slow_time_ = 0;     // the same, each job over its ideal time
  double late_ = 0;          // jobs whose deadlines have passed since the last outcome
  Ticks worst_sum_ = 0;      // at the last outcome
  double outcome_at_s_ = 0;  // time of the last outcome
  std::uint64_t late_jobs_ = 0;
  WorstJobs worst_;
  JobLog log_;
};

}  // namespace park::dag_scheduling
