#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"

namespace park::dag_scheduling {

/// Task durations of one stage measured in one situation: the wave, and the number of executors
/// that the job held at the task's launch.
struct WorkloadCell {
  Wave wave;
  std::uint16_t executors;
  std::uint32_t begin, count;  ///< in the workload's durations; count is never 0
};

/// Bounds that every workload keeps; a builder or a reader refuses what exceeds them.
struct WorkloadLimits {
  static constexpr std::size_t kJobs = 1'000'000;
  static constexpr std::size_t kStagesPerJob = 10'000;
  static constexpr std::size_t kNameBytes = 256;
  static constexpr std::size_t kTextBytes = 1 << 16;  ///< limit of the provenance
  static constexpr std::int32_t kTasks = 10'000'000;  ///< limit of a stage
};

/// Measured jobs: directed acyclic graphs of stages, and for every stage the durations of its
/// tasks. Immutable; safe to read from any number of threads.
class Workload {
 public:
  struct Job {
    std::string name;                   ///< unique in the workload
    std::uint32_t first_stage, stages;  ///< at least one stage
  };
  struct Stage {
    std::int32_t tasks;      ///< at least 1
    float cpus, memory;      ///< demand of one task; 0: none
    double mean_duration_s;  ///< mean over all samples of all cells
    double run_s, cpu_s;     ///< measured run and CPU time of all samples together; 0: unknown
    std::uint32_t first_parent, parents;
    std::uint32_t first_cell, cells;  ///< at least one cell
  };

  [[nodiscard]] const std::string& name() const noexcept { return data_.name; }
  /// How the numbers came to be; text for people.
  [[nodiscard]] const std::string& provenance() const noexcept { return data_.provenance; }
  [[nodiscard]] const Inflation& inflation() const noexcept { return data_.inflation; }

  [[nodiscard]] std::span<const Job> jobs() const noexcept { return data_.jobs; }
  [[nodiscard]] std::span<const Stage> stages(const Job& job) const noexcept {
    return {data_.stages.data() + job.first_stage, job.stages};
  }
  /// The stage's parents as indices within its job, ascending and each once. The graph has no
  /// cycle, but an index may be larger than the stage's own.
  [[nodiscard]] std::span<const std::uint16_t> parents(const Stage& stage) const noexcept {
    return {data_.parents.data() + stage.first_parent, stage.parents};
  }
  /// Sorted by wave, then by executors; no two alike.
  [[nodiscard]] std::span<const WorkloadCell> cells(const Stage& stage) const noexcept {
    return {data_.cells.data() + stage.first_cell, stage.cells};
  }
  /// Milliseconds, each at least 1, in the order of measurement.
  [[nodiscard]] std::span<const std::uint32_t> durations_ms(
      const WorkloadCell& cell) const noexcept {
    return {data_.durations_ms.data() + cell.begin, cell.count};
  }
  /// The job's index, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view job_name) const noexcept;

  [[nodiscard]] std::size_t stage_count() const noexcept { return data_.stages.size(); }
  [[nodiscard]] std::size_t sample_count() const noexcept { return data_.durations_ms.size(); }
  /// The memory that the workload occupies.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  /// The workload of a file, or for a word such as "bundled" one that comes with the program. A process
  /// holds one copy per unchanged file as long as anybody uses it. Safe from any thread.
  /// Throws Error{io} or Error{bad_file}.
  [[nodiscard]] static std::shared_ptr<const Workload> open(const std::string& path);
  /// Where it lies.
  [[nodiscard]] static std::filesystem::path path(const std::string& path);

  /// The columns of a workload before they are checked. Each job's stages follow those of the job
  /// before it, and so on for parents, cells and durations. mean_duration_s is computed.
  struct Data {
    std::string name, provenance;
    Inflation inflation;
    std::vector<Job> jobs;
    std::vector<Stage> stages;
    std::vector<std::uint16_t> parents;
    std::vector<WorkloadCell> cells;
    std::vector<std::uint32_t> durations_ms;
  };
  /// Checks everything; throws Error{bad_file} with a line per violation (20 at most).
  explicit Workload(Data data);

 private:
  Data data_;
  std::vector<std::uint32_t> by_name_;
};

}  // namespace park::dag_scheduling
