#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

/// One stage, free-standing.
struct StageProfile {
  struct Cell {
    Wave wave = Wave::rest;
    std::uint16_t executors = 1;
    std::vector<std::uint32_t> durations_ms;
    bool operator==(const Cell&) const = default;
  };

  std::int32_t tasks = 0;
  float cpus = 1, memory = 0;
  double run_s = 0, cpu_s = 0;
  std::vector<std::uint16_t> parents;  ///< indices within the job, in any order
  std::vector<Cell> cells;             ///< in any order; two alike are a violation

  bool operator==(const StageProfile&) const = default;
};

struct JobProfile {
  std::string name;
  std::vector<StageProfile> stages;
  bool operator==(const JobProfile&) const = default;
};

/// The free-standing form of a workload's job.
[[nodiscard]] JobProfile job_profile(const Workload&, const Workload::Job&);

/// Puts jobs together. What was added is checked by build.
class WorkloadBuilder {
 public:
  WorkloadBuilder(std::string name, std::string provenance, Inflation inflation = {});

  void add_job(const JobProfile& job);
  /// Replaces the values given to the constructor, if they are known only at the end.
  void set_head(std::string name, std::string provenance, Inflation inflation);
  /// Throws Error{bad_file} with a line per violation. Violations are, for example: no job, no
  /// stage, no task, a duplicate name, or a cycle. Others are an empty cell, a duration of 0, and a
  /// negative or infinite demand.
  [[nodiscard]] Workload build();

 private:
  Workload::Data data_;
};

}  // namespace park::dag_scheduling
