#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload/describe.h"

namespace park::dag_scheduling::workload {

/// Which jobs of a workload stay: those that meet all of it. Work and critical path are those of
/// JobSummary. Bounds belong to the range.
struct JobFilter {
  std::string match = "*", exclude{};
  std::uint64_t min_stages = 1, max_stages = kMostStages;
  std::uint64_t min_tasks = 1, max_tasks = kMostTasks;
  double min_work_s = 0, max_work_s = kEndless;
  double min_critical_path_s = 0, max_critical_path_s = kEndless;
  std::uint64_t every = 1;

  static constexpr std::uint64_t kMostStages = dag_scheduling::WorkloadLimits::kStagesPerJob;
  static constexpr std::uint64_t kMostTasks = kMostStages * dag_scheduling::WorkloadLimits::kTasks;
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  bool operator==(const JobFilter&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("match", c.match,
          FieldDoc{.doc = "names that stay: patterns with * for any text, ? for one character and "
                          "[...] for one of several, commas between patterns"});
    visit("exclude", c.exclude, FieldDoc{.doc = "names that go, likewise"});
    visit("min_stages", c.min_stages,
          FieldDoc{.doc = "stages of a job, at least", .min = 1, .max = kMostStages});
    visit("max_stages", c.max_stages,
          FieldDoc{.doc = "stages of a job, at most", .min = 1, .max = kMostStages});
    visit("min_tasks", c.min_tasks,
          FieldDoc{.doc = "tasks of a job, at least", .min = 1, .max = kMostTasks});
    visit("max_tasks", c.max_tasks,
          FieldDoc{.doc = "tasks of a job, at most", .min = 1, .max = kMostTasks});
    visit("min_work_s", c.min_work_s,
          FieldDoc{
              .doc = "work of a job, at least: tasks times mean duration", .unit = "s", .min = 0});
    visit("max_work_s", c.max_work_s,
          FieldDoc{.doc = "work of a job, at most", .unit = "s", .min = 0});
    visit("min_critical_path_s", c.min_critical_path_s,
          FieldDoc{.doc = "critical path of a job, at least: the longest chain of mean tasks",
                   .unit = "s",
                   .min = 0});
    visit("max_critical_path_s", c.max_critical_path_s,
          FieldDoc{.doc = "critical path of a job, at most", .unit = "s", .min = 0});
    visit("every", c.every,
          FieldDoc{.doc = "of the jobs that meet the rest, the first of every so many", .min = 1});
  }

  static void check(const JobFilter&, Violations&);

  /// All but `every`.
  [[nodiscard]] bool keeps(const JobSummary&) const;
};

/// The jobs that stay, in their order; the provenance says what was done. `source` stands for the
/// workload in it. Throws Error{bad_file} if no job stays.
[[nodiscard]] dag_scheduling::Workload filter_workload(const dag_scheduling::Workload& from,
                                                       const std::string& source,
                                                       const JobFilter& filter);

}  // namespace park::dag_scheduling::workload
