#pragma once

#include <cstdint>
#include <string>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// Rises when the same parameters give other jobs.
inline constexpr int kGeneratorVersion = 1;

/// Parameters of synthetic jobs with the shape of industrial traces; docs/workload-format.md gives
/// the distributions and the sources of the defaults.
struct GeneratorConfig {
  std::uint64_t jobs = 1000, seed = 1;
  double large_share = 0.59, stages_shape = 1.5;
  std::uint32_t stages_max = 500;
  double widening = 0.5, reuse = 0.1;
  double tasks_median = 8, tasks_sigma = 1.6;
  std::uint32_t tasks_max = 5000;
  double duration_median_s = 4, duration_sigma = 1.2, duration_max_s = 3600;
  double task_variation = 0.4;
  double cpus = 1, memory_shape = 0.5, memory_max = 1;
  std::string inflation = "none";

  bool operator==(const GeneratorConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("jobs", c.jobs, FieldDoc{.doc = "number of jobs", .min = 1, .max = 1e6});
    visit("seed", c.seed,
          FieldDoc{.doc = "of all chance; job k is the same for any number of jobs"});
    visit("large_share", c.large_share,
          FieldDoc{.doc = "share of jobs with 4 or more stages; the others have 1, 2 or 3, equally "
                          "often",
                   .min = 0,
                   .max = 1});
    visit("stages_shape", c.stages_shape,
          FieldDoc{.doc = "stages of a large job: the whole part of a Pareto distributed number "
                          "from 4 to below stages_max + 1, with this shape; smaller: heavier tail",
                   .min = 0.1,
                   .max = 10});
    visit("stages_max", c.stages_max,
          FieldDoc{.doc = "most stages of a job", .min = 4, .max = 10000});
    visit(
        "widening", c.widening,
        FieldDoc{.doc = "a stage of a job of n stages feeds the one that is d places behind it, d "
                        "geometric with mean n^widening, or the last; 0: chains, 1: wide and flat",
                 .min = 0,
                 .max = 1});
    visit("reuse", c.reuse,
          FieldDoc{.doc = "probability that a stage feeds a second one, drawn likewise",
                   .min = 0,
                   .max = 1});
    visit("tasks_median", c.tasks_median,
          FieldDoc{.doc = "tasks of a stage: a lognormal number below tasks_max, rounded up; its "
                          "median without that bound",
                   .min = 0.1,
                   .max = 1e6});
    visit("tasks_sigma", c.tasks_sigma,
          FieldDoc{.doc = "standard deviation of its logarithm", .min = 0, .max = 5});
    visit("tasks_max", c.tasks_max, FieldDoc{.doc = "most tasks of a stage", .min = 1, .max = 1e7});
    visit("duration_median_s", c.duration_median_s,
          FieldDoc{.doc = "mean duration of a stage's tasks: a lognormal number below "
                          "duration_max_s; its median without that bound",
                   .unit = "s",
                   .min = 0.001,
                   .max = 1e5});
    visit("duration_sigma", c.duration_sigma,
          FieldDoc{.doc = "standard deviation of its logarithm", .min = 0, .max = 5});
    visit(
        "duration_max_s", c.duration_max_s,
        FieldDoc{.doc = "largest mean duration of a stage", .unit = "s", .min = 0.001, .max = 1e5});
    visit("task_variation", c.task_variation,
          FieldDoc{.doc = "standard deviation over mean of the durations within a stage, which are "
                          "32 quantiles of a lognormal distribution",
                   .min = 0,
                   .max = 3});
    visit("cpus", c.cpus, FieldDoc{.doc = "CPUs that a task needs", .min = 0, .max = 1e6});
    visit("memory_shape", c.memory_shape,
          FieldDoc{.doc = "memory that a task of a stage needs: the largest times u^(1 / shape), u "
                          "uniform from 0 to 1; with 1 uniform, with less most need little",
                   .min = 0.01,
                   .max = 100});
    visit("memory_max", c.memory_max,
          FieldDoc{
              .doc = "largest memory that a task needs; 0: none needs any", .min = 0, .max = 1e9});
    visit("inflation", c.inflation,
          FieldDoc{.doc = "durations grow with the executors of a job as fitted to Decima's "
                          "profiles, or not at all",
                   .choices = "none|model"});
  }

  static void check(const GeneratorConfig&, Violations&);
};

/// Job k of the seed, the same for any number of jobs. REQUIRES a configuration without violations.
[[nodiscard]] dag_scheduling::JobProfile generate_job(const GeneratorConfig&, std::uint64_t k);

/// Jobs 0 to jobs - 1, named dag-0 and so on. The same parameters give the same bytes.
[[nodiscard]] dag_scheduling::Workload generate_workload(const GeneratorConfig&,
                                                         const std::string& name);

}  // namespace park::dag_scheduling::workload
