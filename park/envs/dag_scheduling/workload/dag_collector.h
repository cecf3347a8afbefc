#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "park/envs/dag_scheduling/workload/dag_draft.h"
#include "park/envs/dag_scheduling/workload/import_dag.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// A file's description of itself.
struct DagHead {
  std::string name, provenance;
  std::optional<dag_scheduling::Inflation> inflation;
};

/// Puts together what the readers of all files find.
class DagCollector {
 public:
  DagCollector(const DagImportOptions& options, DagImportReport& report);

  [[nodiscard]] const DagImportOptions& options() const noexcept { return options_; }
  [[nodiscard]] DagImportReport& report() noexcept { return report_; }
  /// Whether a job is to be read. Ask once per wanted job; an unwanted job may be asked for as
  /// often as it appears.
  [[nodiscard]] bool wants(std::string_view name);
  /// Adds a job that is wanted, or what is wrong with it.
  void add(const JobDraft& job, FileViolations& bad);
  /// The same for a job that is in order. False if one of its name is there already; then
  /// nothing changes.
  [[nodiscard]] bool add(const dag_scheduling::JobProfile& job, std::optional<double> arrival_s);
  /// Counts a job that is left out; `place` is its position.
  void drop(const std::string& reason, const std::string& place);
  /// The end of a file.
  void add_head(const DagHead& head, const DagInput& input);
  /// The end of all files.
  [[nodiscard]] dag_scheduling::Workload build();

 private:
  [[nodiscard]] std::string command(const DagInput& input) const;
  void sort_arrivals();

  const DagImportOptions& options_;
  DagImportReport& report_;
  dag_scheduling::WorkloadBuilder builder_;
  std::unordered_set<std::string> names_;
  std::uint64_t looked_at_ = 0;
  std::string name_, provenance_;
  std::optional<dag_scheduling::Inflation> inflation_;
  std::string first_file_;  ///< first file with a model of inflation
};

// Readers of the three forms. They throw Error{bad_file} as import_dag does.
[[nodiscard]] DagHead read_dag_json(files::ByteSource& source, const std::string& file,
                                    DagCollector& into);
void read_dag_csv(files::ByteSource& source, const std::string& file, DagCollector& into);
void read_dag_alibaba(files::ByteSource& source, const std::string& file, DagCollector& into);

}  // namespace park::dag_scheduling::workload
