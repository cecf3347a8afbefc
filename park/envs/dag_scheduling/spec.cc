// The spec: leaves of stages, edges, jobs and the cluster, heads of the action, metrics. Bounds
// follow from sizes that dag_spec is given; dag_scheduling_spec takes them from a model, the twin
// from its own configuration. Called whenever a registry makes the spec; nothing is kept.
#include "park/envs/dag_scheduling/spec.h"

#include <algorithm>
#include <limits>

namespace park::dag_scheduling {
namespace {

constexpr double kMostTasks = 1e13;    // of a job: stages times tasks of a stage
constexpr double kMostSeconds = 1e18;  // of work or time
constexpr double kMostIndex = std::numeric_limits<std::int32_t>::max();

/// A leaf of a group.
Leaf leaf(std::string group, std::string name, DType dtype, double high, std::string unit,
          std::string doc) {
  return {.name = std::move(name),
          .dtype = dtype,
          .low = 0,
          .high = high,
          .unit = std::move(unit),
          .doc = std::move(doc),
          .group = std::move(group)};
}

Leaf index_leaf(std::string group, std::string name, const Group& of, std::string doc) {
  Leaf l = leaf(std::move(group), std::move(name), DType::i32,
                std::max(0.0, static_cast<double>(of.capacity) - 1), "1", std::move(doc));
  l.index_of = of.name;
  return l;
}

std::vector<Leaf> stage_leaves(double executors, const Group& jobs) {
  const auto f32 = [](const char* name, double high, const char* unit, const char* doc) {
    return leaf("stages", name, DType::f32, high, unit, doc);
  };
  Leaf ready =
      leaf("stages", "stage.ready_s", DType::f64, kMostSeconds, "s",
           "when its last parent finished, or its job arrived where it has none; -1 before");
  ready.low = -1;
  return {
      index_leaf("stages", "stage.job", jobs, "its job"),
      f32("stage.tasks", WorkloadLimits::kTasks, "tasks", "tasks in all"),
      f32("stage.mean_duration_s", kMostSeconds, "s",
          "duration of a task: the workload's mean over everything measured, fixed; with "
          "semantics=compat the drawn duration of the last task once that is launched"),
      leaf("stages", "stage.duration_known", DType::u8, 1, "1",
           "1: the job was measured before; always so in the simulation"),
      f32("stage.work_s", kMostSeconds, "s", "tasks times the workload's mean duration; fixed"),
      f32("stage.critical_path_s", kMostSeconds, "s",
          "its work and the largest chain of work among its descendants; fixed"),
      f32("stage.cpus", 1e6, "cpus", "what one task needs; fixed"),
      f32("stage.memory", 1e9, "1", "what one task needs, in the unit of the workload; fixed"),
      f32("stage.tasks_left", WorkloadLimits::kTasks, "tasks", "not launched yet"),
      f32("stage.tasks_running", executors, "tasks", "launched and not finished"),
      f32("stage.committed", executors, "executors",
          "promised to it by earlier decisions and not on their way yet"),
      f32("stage.moving", executors, "executors", "on their way to it"),
      f32("stage.last_duration_s", kMostSeconds, "s",
          "duration of the task that finished last; 0 before the first one"),
      leaf("stages", "stage.runnable", DType::u8, 1, "1",
           "all parents have finished and tasks are left to launch"),
      ready,
      leaf("stages", "mask.stage", DType::u8, 1, "1",
           "may be chosen: more tasks left than executors committed and moving to it, the same of "
           "no parent, and the source has executors of a class that fits and for which it was not "
           "chosen in this round"),
  };
}

std::vector<Leaf> edge_leaves(const Group& stages) {
  return {index_leaf("edges", "edge.parent", stages, "stage that has to finish first"),
          index_leaf("edges", "edge.child", stages, "stage that waits for it")};
}

std::vector<Leaf> job_leaves(double executors, double jobs) {
  const auto f32 = [](const char* name, double high, const char* unit, const char* doc) {
    return leaf("jobs", name, DType::f32, high, unit, doc);
  };
  const auto i32 = [](const char* name, double low, double high, const char* unit,
                      const char* doc) {
    Leaf l = leaf("jobs", name, DType::i32, high, unit, doc);
    l.low = low;
    return l;
  };
  return {
      i32("job.id", 0, jobs - 1, "1", "its number in the episode, by arrival"),
      i32("job.version", 0, kMostIndex, "1",
          "rises whenever a leaf stage.*, job.* or limit.* of the job changes"),
      leaf("jobs", "job.arrival_s", DType::f64, kMostSeconds, "s", "when it arrived"),
      f32("job.stage_count", WorkloadLimits::kStagesPerJob, "stages", "its elements of `stages`"),
      f32("job.stages_left", WorkloadLimits::kStagesPerJob, "stages", "not finished"),
      f32("job.tasks_left", kMostTasks, "tasks", "not launched yet"),
      f32("job.work_s", kMostSeconds, "s", "sum of stage.work_s; fixed"),
      f32("job.work_left_s", kMostSeconds, "s",
          "sum over its stages of stage.work_s times the share of tasks not launched"),
      f32("job.executors", executors, "executors", "attached to it: at work, or idle in its pool"),
      f32("job.moving", executors, "executors", "on their way to it"),
      f32("job.committed", executors, "executors", "promised to it by others, not on their way"),
      leaf("jobs", "job.source", DType::u8, 1, "1", "the executors of this round are its own"),
      f32("job.demand", kMostTasks, "tasks",
          "sum over its stages of the tasks left beyond the executors committed and moving there"),
      i32("limit.min", 1, executors, "executors",
          "least limit: attached, moving and committed executors, without those of this round, + "
          "1"),
      i32("limit.max", 1, executors, "executors", "largest limit: all executors of the cluster"),
  };
}

std::vector<Leaf> cluster_leaves(double executors, std::int64_t classes) {
  const auto per_class = [classes](const char* name, double high, const char* unit,
                                   const char* doc) {
    Leaf l = leaf("", name, DType::f32, high, unit, doc);
    l.shape = {classes};
    return l;
  };
  return {
      leaf("", "cluster.time_s", DType::f64, kMostSeconds, "s", "time of the episode"),
      leaf("", "cluster.last_arrival_s", DType::f64, kMostSeconds, "s",
           "when the last job arrived so far"),
      per_class("cluster.executors", executors, "executors", "of each class; fixed"),
      per_class("cluster.free", executors, "executors",
                "of each class that neither run a task nor move, wherever they belong"),
      per_class("source.executors", executors, "executors",
                "of each class that this round has still to hand out; some may be running their "
                "last task of a stage"),
      per_class("class.cpus", 1e6, "cpus", "of an executor of the class; fixed"),
      per_class("class.memory", 1e9, "1", "of an executor of the class; fixed"),
  };
}

Leaf class_mask(std::int64_t classes) {
  Leaf l = leaf("stages", "mask.class", DType::u8, 1, "1",
                "per class: its executors can run the stage's tasks, the source has some, and the "
                "stage was not chosen for it in this round");
  l.shape = {classes};
  return l;
}

std::vector<Leaf> heads(double executors, std::int64_t classes, const Group& stages) {
  Leaf stage = index_leaf("", "stage", stages, "the stage that gets executors");
  Leaf limit = leaf("", "limit", DType::i32, executors, "executors",
                    "how many its job may have in all: those it has now without this round's, and "
                    "those that the stage gets");
  limit.low = 1;
  limit.given = {"stage", "stage.job"};
  Leaf executor_class = leaf("", "class", DType::i32, static_cast<double>(classes - 1), "1",
                             "the class that the executors are of");
  executor_class.given = {"stage"};
  return {stage, limit, executor_class};
}

std::vector<Metric> metric_list(const DagSchedulingConfig& config) {
  std::vector<Metric> all = {
      {"avg_jct_s", "s", true,
       "mean over the completed jobs of the time from arrival to the end of the last task"},
      {"p50_jct_s", "s", true,
       "the smallest completion time that at least 50 % of the completed jobs do not exceed"},
      {"p95_jct_s", "s", true, "the same for 95 %"},
      {"p99_jct_s", "s", true, "the same for 99 %"},
      {"avg_slowdown", "1", true,
       "mean over the completed jobs of the completion time over an ideal for the job alone: the "
       "larger of its work over all executors and its longest chain of stages with one mean task "
       "each; below 1 only for a job whose tasks were shorter than the workload's means"},
      {"makespan_s", "s", true, "time from the first arrival to the end of the episode"},
      {"utilisation", "1", false,
       "executor-seconds of running tasks over executors times makespan_s"},
      {"executor_moves", "1", true,
       "how often an executor was sent to a job that it did not belong to"},
      {"jobs_done", "jobs", false, "jobs completed"},
  };
  objective_first(config, all);
  return all;
}

void append(std::vector<Leaf>& to, std::vector<Leaf> leaves) {
  std::ranges::move(leaves, std::back_inserter(to));
}

}  // namespace

Spec dag_spec(const DagSizes& sizes, const DagSchedulingConfig& config) {
  Spec s;
  const Group stage_group{"stages", sizes.stages};
  const Group edge_group{"edges", sizes.edges};
  const Group job_group{"jobs", sizes.jobs};
  s.observation.groups = {stage_group, edge_group, job_group};
  append(s.observation.leaves, stage_leaves(sizes.executors, job_group));
  s.observation.leaves.push_back(class_mask(sizes.classes));
  append(s.observation.leaves, edge_leaves(stage_group));
  append(s.observation.leaves, job_leaves(sizes.executors, static_cast<double>(sizes.jobs)));
  append(s.observation.leaves, cluster_leaves(sizes.executors, sizes.classes));
  s.action.leaves = heads(sizes.executors, sizes.classes, stage_group);
  s.metrics = metric_list(config);
  return s;
}

Spec dag_scheduling_spec(const ClusterModel& model) {
  const std::int64_t jobs = model.jobs_per_episode();
  Spec s = dag_spec({.executors = static_cast<double>(model.config().executors),
                     .classes = static_cast<std::int64_t>(model.classes().size()),
                     .jobs = jobs,
                     .stages = jobs * model.most_stages(),
                     .edges = jobs * model.most_edges()},
                    model.config());
  s.name = kDagSchedulingName;
  s.summary = "schedule jobs of dependent stages on the executors of a Spark-like cluster";
  s.reference =
      "Mao et al., Learning Scheduling Algorithms for Data Processing Clusters, SIGCOMM 2019, "
      "sections 4-6 and appendix D";
  s.traits.cloneable = true;
  s.traits.twin = "spark";
  return s;
}

}  // namespace park::dag_scheduling
