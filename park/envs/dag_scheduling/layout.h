// The observation, the action and the metrics of a cluster. Each member declares a leaf, a head or
// a metric, and is its handle afterwards. DagSizes gives the bounds. The environment and its twin
// declare their spec with a DagLayout. Policies, networks and the view of a row bind one to a spec
// that they are given.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "park/core/layout.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/objective.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

inline constexpr const char* kDagSchedulingName = "dag_scheduling";

/// The limits that the spaces of a cluster depend on.
struct DagSizes {
  double executors = 1;
  std::int64_t classes = 1;
  std::int64_t jobs = 1, stages = 1, edges = 1;  ///< at once
  /// Its metric comes first: training, tuning and comparison judge by that.
  Objective objective = Objective::jct;
  bool deadlines = false;  ///< jobs have deadlines
};

/// The leaves, heads and metrics of a cluster, simulated or running.
struct DagLayout : Layout {
  using Layout::Layout;
  explicit DagLayout(const DagSizes& s) : sizes(s), classes{s.classes} {}

  static constexpr double kMostTasks = 1e13;    ///< limit of a job: stages times tasks of a stage
  static constexpr double kMostSeconds = 1e18;  ///< limit of work or time
  static constexpr double kMostCpus = 1e6, kMostMemory = 1e9;  ///< limits of a task or an executor
  static constexpr double kMostDelay = 1e6;
  static constexpr double kMostIndex = std::numeric_limits<std::int32_t>::max();

  DagSizes sizes{// the widest, where it binds
                 .executors = kMaxExecutors,
                 .jobs = kMaxDagJobs,
                 .deadlines = true};
  Axis classes;
  GroupOf stages{observation, "stages", sizes.stages};
  GroupOf edges{observation, "edges", sizes.edges};
  GroupOf jobs{observation, "jobs", sizes.jobs};

  LeafOf<std::int32_t> stage_job{stages, "stage.job", {.doc = "its job", .index_of = "jobs"}};
  LeafOf<float> tasks{stages,
                      "stage.tasks",
                      {.high = WorkloadLimits::kTasks, .unit = "tasks", .doc = "tasks in all"}};
  LeafOf<float> mean_s{
      stages,
      "stage.mean_duration_s",
      {.high = kMostSeconds,
       .unit = "s",
       .doc = "duration of a task: the workload's mean over everything measured, fixed; with "
              "semantics=compat the drawn duration of the last task once that is launched"}};
  LeafOf<std::uint8_t> known{
      stages,
      "stage.duration_known",
      {.high = 1, .doc = "1: the job was measured before; always so in the simulation"}};
  LeafOf<float> work_s{stages,
                       "stage.work_s",
                       {.high = kMostSeconds,
                        .unit = "s",
                        .doc = "tasks times the workload's mean duration; fixed"}};
  LeafOf<float> critical_s{
      stages,
      "stage.critical_path_s",
      {.high = kMostSeconds,
       .unit = "s",
       .doc = "its work and the largest chain of work among its descendants; fixed"}};
  LeafOf<float> cpus{stages,
                     "stage.cpus",
                     {.high = kMostCpus, .unit = "cpus", .doc = "what one task needs; fixed"}};
  LeafOf<float> memory{
      stages,
      "stage.memory",
      {.high = kMostMemory, .doc = "what one task needs, in the unit of the workload; fixed"}};
  LeafOf<float> tasks_left{
      stages,
      "stage.tasks_left",
      {.high = WorkloadLimits::kTasks, .unit = "tasks", .doc = "not launched yet"}};
  LeafOf<float> running{
      stages,
      "stage.tasks_running",
      {.high = sizes.executors, .unit = "tasks", .doc = "launched and not finished"}};
  LeafOf<float> committed{stages,
                          "stage.committed",
                          {.high = sizes.executors,
                           .unit = "executors",
                           .doc = "promised to it by earlier decisions and not on their way yet"}};
  LeafOf<float> moving{stages,
                       "stage.moving",
                       {.high = sizes.executors, .unit = "executors", .doc = "on their way to it"}};
  LeafOf<float> last_s{stages,
                       "stage.last_duration_s",
                       {.high = kMostSeconds,
                        .unit = "s",
                        .doc = "duration of the task that finished last; 0 before the first one"}};
  LeafOf<std::uint8_t> runnable{
      stages,
      "stage.runnable",
      {.high = 1, .doc = "all parents have finished and tasks are left to launch"}};
  LeafOf<double> ready_s{
      stages,
      "stage.ready_s",
      {.low = -1,
       .high = kMostSeconds,
       .unit = "s",
       .doc = "when its last parent finished, or its job arrived where it has none; -1 before"}};
  LeafOf<std::uint8_t> stage_mask{
      stages,
      "mask.stage",
      {.high = 1,
       .doc = "may be chosen: more tasks left than executors committed and moving to it, the same "
              "of no parent, and the source has executors of a class that fits and for which it "
              "was not chosen in this round"}};
  LeafOf<std::uint8_t> class_mask{
      stages,
      "mask.class",
      {.shape = {classes},
       .high = 1,
       .doc = "per class: its executors can run the stage's tasks, the source has some, and the "
              "stage was not chosen for it in this round"}};

  LeafOf<std::int32_t> edge_parent{
      edges, "edge.parent", {.doc = "stage that has to finish first", .index_of = "stages"}};
  LeafOf<std::int32_t> edge_child{
      edges, "edge.child", {.doc = "stage that waits for it", .index_of = "stages"}};

  LeafOf<std::int32_t> job_id{jobs,
                              "job.id",
                              {.high = static_cast<double>(sizes.jobs) - 1,
                               .doc = "its number in the episode, by arrival"}};
  LeafOf<std::int32_t> version{
      jobs,
      "job.version",
      {.high = kMostIndex,
       .doc = "rises whenever a leaf stage.*, job.* or limit.* of the job changes"}};
  LeafOf<double> arrival_s{
      jobs, "job.arrival_s", {.high = kMostSeconds, .unit = "s", .doc = "when it arrived"}};
  LeafOf<float> stage_count{
      jobs,
      "job.stage_count",
      {.high = WorkloadLimits::kStagesPerJob, .unit = "stages", .doc = "its elements of `stages`"}};
  LeafOf<float> stages_left{
      jobs,
      "job.stages_left",
      {.high = WorkloadLimits::kStagesPerJob, .unit = "stages", .doc = "not finished"}};
  LeafOf<float> job_tasks_left{
      jobs, "job.tasks_left", {.high = kMostTasks, .unit = "tasks", .doc = "not launched yet"}};
  LeafOf<float> job_work_s{
      jobs, "job.work_s", {.high = kMostSeconds, .unit = "s", .doc = "sum of stage.work_s; fixed"}};
  LeafOf<float> job_work_left_s{
      jobs,
      "job.work_left_s",
      {.high = kMostSeconds,
       .unit = "s",
       .doc = "sum over its stages of stage.work_s times the share of tasks not launched"}};
  LeafOf<float> job_executors{jobs,
                              "job.executors",
                              {.high = sizes.executors,
                               .unit = "executors",
                               .doc = "attached to it: at work, or idle in its pool"}};
  LeafOf<float> job_moving{
      jobs,
      "job.moving",
      {.high = sizes.executors, .unit = "executors", .doc = "on their way to it"}};
  LeafOf<float> job_committed{jobs,
                              "job.committed",
                              {.high = sizes.executors,
                               .unit = "executors",
                               .doc = "promised to it by others, not on their way"}};
  LeafOf<std::uint8_t> source{
      jobs, "job.source", {.high = 1, .doc = "the executors of this round are its own"}};
  LeafOf<float> demand{jobs,
                       "job.demand",
                       {.high = kMostTasks,
                        .unit = "tasks",
                        .doc = "sum over its stages of the tasks left beyond the executors "
                               "committed and moving there"}};
  LeafOf<std::int32_t> limit_min{
      jobs,
      "limit.min",
      {.low = 1,
       .high = sizes.executors,
       .unit = "executors",
       .doc = "least limit: attached, moving and committed executors, without those of this "
              "round, + 1"}};
  LeafOf<std::int32_t> limit_max{jobs,
                                 "limit.max",
                                 {.low = 1,
                                  .high = sizes.executors,
                                  .unit = "executors",
                                  .doc = "largest limit: all executors of the cluster"}};
  // Leaves info.* came later. They are no part of the layout, so that what was recorded or trained
  // before continues to play; who reads them asks `told` first.
  std::optional<LeafOf<double>> deadline_s =
      sizes.deadlines ? std::optional(declare_deadline()) : std::nullopt;

  LeafOf<double> time_s{observation,
                        "cluster.time_s",
                        {.high = kMostSeconds, .unit = "s", .doc = "time of the episode"}};
  LeafOf<double> last_arrival_s{
      observation,
      "cluster.last_arrival_s",
      {.high = kMostSeconds, .unit = "s", .doc = "when the last job arrived so far"}};
  LeafOf<float> executors{observation,
                          "cluster.executors",
                          {.shape = {classes},
                           .high = sizes.executors,
                           .unit = "executors",
                           .doc = "of each class; fixed"}};
  LeafOf<float> free{
      observation,
      "cluster.free",
      {.shape = {classes},
       .high = sizes.executors,
       .unit = "executors",
       .doc = "of each class that neither run a task nor move, wherever they belong"}};
  LeafOf<float> source_executors{
      observation,
      "source.executors",
      {.shape = {classes},
       .high = sizes.executors,
       .unit = "executors",
       .doc = "of each class that this round has still to hand out; some may be running their "
              "last task of a stage"}};
  LeafOf<float> class_cpus{observation,
                           "class.cpus",
                           {.shape = {classes},
                            .high = kMostCpus,
                            .unit = "cpus",
                            .doc = "of an executor of the class; fixed"}};
  LeafOf<float> class_memory{
      observation,
      "class.memory",
      {.shape = {classes}, .high = kMostMemory, .doc = "of an executor of the class; fixed"}};
  LeafOf<float> moving_delay_s{
      observation,
      "info.moving_delay_s",
      {.high = kMostDelay,
       .unit = "s",
       .doc = "time that an executor takes from one job to another; fixed"}};
  LeafOf<float> warmup_delay_s{
      observation,
      "info.warmup_delay_s",
      {.high = kMostDelay,
       .unit = "s",
       .doc = "added to an executor's first task in a job where such tasks were not measured; "
              "fixed"}};

  LeafOf<std::int32_t> stage{
      action, "stage", {.doc = "the stage that gets executors", .index_of = "stages"}};
  LeafOf<std::int32_t> limit{
      action,
      "limit",
      {.low = 1,
       .high = sizes.executors,
       .unit = "executors",
       .doc = "how many its job may have in all: those it has now without this round's, and those "
              "that the stage gets",
       .given = {"stage", "stage.job"}}};
  LeafOf<std::int32_t> executor_class{action,
                                      "class",
                                      {.high = static_cast<double>(classes.size - 1),
                                       .doc = "the class that the executors are of",
                                       .given = {"stage"}}};

  // The metric of the objective, where it is not the one that comes first otherwise.
  std::optional<MetricOf> first = declare_first();
  MetricOf avg_jct_s{
      metrics,
      "avg_jct_s",
      {.unit = "s",
       .doc = "mean over the completed jobs of the time from arrival to the end of the last task"}};
  MetricOf p50_jct_s{
      metrics,
      "p50_jct_s",
      {.unit = "s",
       .doc =
           "the smallest completion time that at least 50 % of the completed jobs do not exceed"}};
  MetricOf p95_jct_s{metrics, "p95_jct_s", {.unit = "s", .doc = "the same for 95 %"}};
  MetricOf p99_jct_s{metrics, "p99_jct_s", {.unit = "s", .doc = "the same for 99 %"}};
  MetricOf avg_slowdown = is(Objective::slowdown) ? *first : declare_slowdown();
  MetricOf makespan_s = is(Objective::makespan) ? *first : declare_makespan();
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false,
       .doc = "executor-seconds of running tasks over executors times makespan_s"}};
  MetricOf executor_moves{
      metrics,
      "executor_moves",
      {.doc = "how often an executor was sent to a job that it did not belong to"}};
  MetricOf jobs_done{
      metrics, "jobs_done", {.unit = "jobs", .lower_is_better = false, .doc = "jobs completed"}};
  // Some configurations have these. Where a layout binds, nobody asks for metrics of an objective.
  std::optional<MetricOf> tail_jct_s = is(Objective::tail) ? first : std::nullopt;
  std::optional<MetricOf> late_share = is(Objective::deadline) ? first
                                       : sizes.deadlines       ? std::optional(declare_late())
                                                               : std::nullopt;

  /// Whether rows have a leaf info.*.
  template <class T>
  [[nodiscard]] static bool told(const Field<T>& leaf) noexcept {
    return leaf.column != std::numeric_limits<std::uint32_t>::max();
  }

 private:
  [[nodiscard]] bool is(Objective o) const noexcept { return sizes.objective == o; }
  [[nodiscard]] LeafOf<double> declare_deadline() const {
    return {jobs,
            "info.deadline_s",
            {.high = kMostSeconds, .unit = "s", .doc = "when it is late unless it is done; fixed"}};
  }
  [[nodiscard]] std::optional<MetricOf> declare_first() const {
    switch (sizes.objective) {
      case Objective::jct:
        return {};
      case Objective::makespan:
        return declare_makespan();
      case Objective::tail:
        return declare_tail();
      case Objective::slowdown:
        return declare_slowdown();
      case Objective::deadline:
        return declare_late();
    }
    return {};
  }
  [[nodiscard]] MetricOf declare_slowdown() const {
    return {metrics,
            "avg_slowdown",
            {.doc = "mean over the completed jobs of the completion time over an ideal for the job "
                    "alone: the larger of its work over all executors and its longest chain of "
                    "stages with one mean task each; below 1 only for a job whose tasks were "
                    "shorter than the workload's means"}};
  }
  [[nodiscard]] MetricOf declare_tail() const {
    return {metrics,
            "tail_jct_s",
            {.unit = "s",
             .doc = "mean of the largest 5 % of the completion times, rounded up to whole jobs"}};
  }
  [[nodiscard]] MetricOf declare_late() const {
    return {metrics,
            "late_share",
            {.doc = "share of the completed jobs that took longer than deadline_factor times their "
                    "ideal, which is that of avg_slowdown"}};
  }
  [[nodiscard]] MetricOf declare_makespan() const {
    return {metrics,
            "makespan_s",
            {.unit = "s", .doc = "time from the first arrival to the end of the episode"}};
  }
};

}  // namespace park::dag_scheduling
