#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::dag_scheduling {

/// Bounds that the configuration guarantees.
inline constexpr std::int32_t kMaxExecutors = 100'000;
inline constexpr std::int32_t kMaxDagJobs = 1'000'000;  ///< limit of an episode
inline constexpr std::size_t kMaxClasses = 16;          ///< limit of executor classes
inline constexpr double kMaxArrivalS = 1e9;             ///< limit of the last arrival

/// A share of the executors with their size.
struct ExecutorClassConfig {
  static constexpr std::string_view kName = "class";
  double share = 1, cpus = 1, memory = 1;

  bool operator==(const ExecutorClassConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("share", c.share,
          FieldDoc{.doc = "part of the executors; the shares of all classes add up to 1, and the "
                          "counts are rounded by largest remainder",
                   .min = 0,
                   .max = 1,
                   .open_min = true});
    visit(
        "cpus", c.cpus,
        FieldDoc{.doc = "a stage fits where one of its tasks needs no more", .min = 0, .max = 1e6});
    visit("memory", c.memory,
          FieldDoc{.doc = "a stage fits where one of its tasks needs no more; in the unit of the "
                          "workload",
                   .min = 0,
                   .max = 1e9});
  }
};

/// The defaults suit the bundled workload: README.md in this folder says why. The literature's
/// setting is executors=50,moving_delay_s=2,warmup_delay_s=1 on Decima's profiles, with arrivals
/// every 25 or 20 s.
struct DagSchedulingConfig {
  std::int32_t executors = 10;
  std::int32_t jobs = 30;
  std::string arrival = "batch";
  double interval_s = 7;
  std::string arrivals{};
  std::string workload = "bundled";
  std::string semantics = "correct";
  double moving_delay_s = 0.5, warmup_delay_s = 0;
  std::string objective = "jct";
  std::vector<ExecutorClassConfig> classes{};
  double horizon_s = kInf;
  std::string inflation = "model";
  double deadline_factor = 0;

  bool operator==(const DagSchedulingConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("executors", c.executors,
          FieldDoc{.doc = "executors of the cluster; each runs one task at a time",
                   .min = 1,
                   .max = kMaxExecutors});
    visit("jobs", c.jobs,
          FieldDoc{.doc = "jobs of an episode, drawn uniformly from the workload; not allowed with "
                          "arrival=file, where the file lists them",
                   .min = 1,
                   .max = kMaxDagJobs});
    visit("arrival", c.arrival,
          FieldDoc{.doc = "batch: all jobs at time 0; poisson: the first at time 0, then "
                          "exponential gaps; file: as the file of `arrivals` says",
                   .choices = "batch|poisson|file"});
    visit("interval_s", c.interval_s,
          FieldDoc{
              .doc = "poisson: mean time between arrivals", .unit = "s", .min = 1e-3, .max = 1e6});
    visit("arrivals", c.arrivals,
          FieldDoc{.doc = "file: path of a CSV with the header time_s,job and a line per job, its "
                          "time of arrival and its name in the workload; equal times keep the "
                          "order of the file",
                   .names = Names::file});
    visit("workload", c.workload,
          FieldDoc{.doc = "the jobs that can arrive: bundled, one of two workloads whose stages "
                          "need memory, bundled-memory and synthetic-memory, or the path of a "
                          "workload file",
                   .names = Names::file,
                   .bundled = "bundled|bundled-memory|synthetic-memory"});
    visit("semantics", c.semantics,
          FieldDoc{.doc = "compat: reproduces the simulator released with Decima, with its faults",
                   .choices = "correct|compat"});
    visit("moving_delay_s", c.moving_delay_s,
          FieldDoc{.doc = "time that an executor takes from one job to another; 0: free",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6});
    visit("warmup_delay_s", c.warmup_delay_s,
          FieldDoc{.doc = "added to an executor's first task in a job where the workload has not "
                          "measured such tasks of the stage",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6});
    visit("objective", c.objective,
          FieldDoc{.doc = "what the rewards add up to, negated: jct, the sum of completion times; "
                          "makespan, the time; tail, the completion times of the worst 5 % of the "
                          "jobs; slowdown, the sum of slowdowns; deadline, the number of late jobs",
                   .choices = "jct|makespan|tail|slowdown|deadline"});
    visit("classes", c.classes,
          FieldDoc{.doc = "classes of executors; none: one class(share=1,cpus=1,memory=1)"});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training; evaluation runs to the end",
                   .unit = "s",
                   .min = 1e-3});
    visit("inflation", c.inflation,
          FieldDoc{.doc = "durations where a job holds more executors than were measured: model: "
                          "those of the most that were measured, times the workload's model of "
                          "growth; none: without growth",
                   .choices = "model|none"});
    visit("deadline_factor", c.deadline_factor,
          FieldDoc{.doc = "a job is late if it takes longer than this many times its ideal, which "
                          "is that of avg_slowdown; 0: no job has a deadline",
                   .min = 0,
                   .max = 1e6});
  }

  /// The rules between fields.
  static void check(const DagSchedulingConfig&, Violations&);

  [[nodiscard]] bool compat() const noexcept { return semantics == "compat"; }
  /// The classes as listed, or the one that is there otherwise.
  [[nodiscard]] std::vector<ExecutorClassConfig> executor_classes() const;
  /// Executors of each class. REQUIRES a configuration without violations.
  [[nodiscard]] std::vector<std::int32_t> class_sizes() const;
};

}  // namespace park::dag_scheduling
