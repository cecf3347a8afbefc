#pragma once

#include <string>

#include "park/core/config.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// Factors for all jobs of a workload.
struct JobScale {
  double durations = 1, tasks = 1, cpus = 1, memory = 1;

  bool operator==(const JobScale&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("durations", c.durations,
          FieldDoc{.doc = "factor of every duration, run and CPU time; durations are rounded to "
                          "ms, at least 1",
                   .min = 1e-6,
                   .max = 1e6});
    visit("tasks", c.tasks,
          FieldDoc{.doc = "factor of the number of tasks of every stage, rounded, at least 1",
                   .min = 1e-6,
                   .max = 1e6});
    visit("cpus", c.cpus,
          FieldDoc{.doc = "factor of the CPUs that a task needs", .min = 0, .max = 1e6});
    visit("memory", c.memory,
          FieldDoc{.doc = "factor of the memory that a task needs", .min = 0, .max = 1e6});
  }
};

/// The same jobs with other sizes; the provenance says what was done. `source` stands for the
/// workload in it. Throws Error{bad_file} if something becomes too large, naming job and stage.
[[nodiscard]] dag_scheduling::Workload scale_workload(const dag_scheduling::Workload& from,
                                                      const std::string& source,
                                                      const JobScale& scale);

}  // namespace park::dag_scheduling::workload
