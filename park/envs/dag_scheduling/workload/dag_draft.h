#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/files/shown.h"

namespace park::dag_scheduling::workload {

/// Collects what is wrong with a file, each line with the file's name and a line number.
class FileViolations {
 public:
  static constexpr std::size_t kMost = 10;  ///< more say nothing new

  explicit FileViolations(std::string file) : file_(std::move(file)) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }
  /// Throws all of them, as Error{bad_file}, when there are kMost.
  void add(std::uint64_t line, const std::string& what);
  void add(const std::string& what);  ///< of no line
  void throw_if_any() const { lines_.throw_if_any(Errc::bad_file); }

 private:
  void add_line(const std::string& text);

  std::string file_;
  Violations lines_;
};

/// A number in a file of jobs: its name in JSON and CSV, and what is allowed.
struct NumberField {
  std::string_view name;
  double min, max;
  bool whole = false, open_min = false;

  [[nodiscard]] bool allows(double value) const noexcept;
  /// "a whole number from 1 to 10000000".
  [[nodiscard]] std::string allowed() const;
};

inline constexpr double kMostSeconds = 4294967.295;  ///< what fits into 32 bits of ms
inline constexpr NumberField kTasksField{"tasks", 1, dag_scheduling::WorkloadLimits::kTasks, true};
inline constexpr NumberField kCpusField{"cpus", 0, 1e6};
inline constexpr NumberField kMemoryField{"memory", 0, 1e9};
inline constexpr NumberField kRunField{"run_s", 0, 1e15};
inline constexpr NumberField kCpuTimeField{"cpu_s", 0, 1e15};
inline constexpr NumberField kExecutorsField{"executors", 1, 65535, true};
inline constexpr NumberField kDurationField{"durations_s", 0, kMostSeconds, false, true};
inline constexpr NumberField kMeanField{"mean_s", 0, 1e5, false, true};
inline constexpr NumberField kDeviationField{"sd_s", 0, 3e5};
inline constexpr NumberField kArrivalField{"arrival_s", -1e12, 1e12};

/// The wave of a name, or nothing.
[[nodiscard]] std::optional<dag_scheduling::Wave> wave_of(std::string_view name);
/// "wave = x must be fresh, first or rest".
[[nodiscard]] std::string wrong_wave(std::string_view name);

/// How long the tasks of a cell take: a list, or a mean and perhaps a standard deviation.
struct DurationFields {
  bool listed = false;  ///< durations_s is given
  std::vector<double> durations_s{};
  std::optional<double> mean_s{}, sd_s{};
};
/// Adds a cell with these durations, in ms, rounded and at least 1; a mean and a deviation become
/// the numbers of a Spread. Says in one clause what is wrong, or nothing.
[[nodiscard]] std::string add_cell(dag_scheduling::StageProfile::Cell cell, const DurationFields&,
                                   dag_scheduling::StageProfile& stage);

/// A job as its file describes it: stages have ids and name their parents.
struct StageDraft {
  std::uint64_t line = 0;
  std::string id;
  std::vector<std::string> parents;
  dag_scheduling::StageProfile profile;  ///< without parents
};
struct JobDraft {
  std::uint64_t line = 0;
  std::string name;
  std::optional<double> arrival_s;
  std::vector<StageDraft> stages;
};

/// Whether a workload may hold a job of this name.
[[nodiscard]] bool is_job_name(std::string_view name);
inline constexpr const char* kJobNames = "1 to 256 bytes without control characters";

/// Finds the parents and checks the graph. Adds every violation; then the result is of no use.
[[nodiscard]] dag_scheduling::JobProfile resolve(const JobDraft&, FileViolations&);

/// "job etl stage join", for messages.
[[nodiscard]] std::string stage_text(std::string_view job, std::string_view stage);

using files::shown;

}  // namespace park::dag_scheduling::workload
