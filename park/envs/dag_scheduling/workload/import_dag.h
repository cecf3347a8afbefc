#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/files/byte_source.h"

namespace park::dag_scheduling::workload {

/// Forms of job graphs; docs/workload-format.md describes each.
enum class DagForm {
  json,     ///< the project's own: what export_json writes
  csv,      ///< a line per stage, the columns named in the first line
  alibaba,  ///< batch_task of the Alibaba cluster trace v2018
};
[[nodiscard]] std::string_view form_name(DagForm) noexcept;

struct DagImportOptions {
  std::string name;  ///< name of the workload; empty: as in the file, else the file's name
  /// How durations grow beyond the measured executors; nothing: what the file says, else not.
  std::optional<dag_scheduling::Inflation> inflation;
  std::vector<std::string> status = {"Terminated"};  ///< alibaba: what all tasks of a job must have
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t one_in = 1;       ///< take one job in so many, chosen by a hash of its name
  std::uint64_t max_jobs = kAll;  ///< look at the first so many of these
  std::function<void(std::uint64_t bytes)> progress;  ///< told what was read since the last call
};

/// When a job arrives, where the file says so.
struct DagArrival {
  double time_s;  ///< after the first job that was kept
  std::string job;
};

struct DagImportReport {
  /// Jobs that were left out for one reason.
  struct Dropped {
    std::string reason;
    std::uint64_t jobs = 0;
    std::string first;  ///< the first such job, and where it is
  };
  std::uint64_t lines = 0;                          ///< lines of all files
  std::uint64_t jobs = 0, stages = 0, samples = 0;  ///< kept
  std::vector<Dropped> dropped;
  std::vector<std::string> notes;     ///< one line each: what was taken how
  std::vector<DagArrival> arrivals;   ///< by time, equal times in the order of the file
  std::uint64_t without_arrival = 0;  ///< jobs kept whose arrival no file tells
};

/// One file of jobs; `name` stands for it in messages and provenance.
struct DagInput {
  std::string name;
  DagForm form;
  std::unique_ptr<files::ByteSource> source;
};

/// The form of a file that begins like this. Throws Error{bad_file} if it is none of them.
[[nodiscard]] DagForm detect_form(std::string_view head, const std::string& name);

/// All jobs of the inputs in order of appearance. The names of jobs differ, also between files.
/// Memory follows what is kept, not the size of the files. Throws Error{bad_file} with a line per
/// violation (10 at most), each naming the file, the line and what is allowed.
[[nodiscard]] dag_scheduling::Workload import_dag(std::span<DagInput> inputs,
                                                  const DagImportOptions& options,
                                                  DagImportReport& report);

/// The same for files, plain or compressed, in the form given or detected. Throws Error{io} too.
[[nodiscard]] dag_scheduling::Workload import_dag(const std::vector<std::string>& paths,
                                                  std::optional<DagForm> form,
                                                  const DagImportOptions& options,
                                                  DagImportReport& report);

/// The arrivals as CSV with the header time_s,job: what dag_scheduling(arrival=file) reads.
[[nodiscard]] std::string arrivals_csv(std::span<const DagArrival> arrivals);

}  // namespace park::dag_scheduling::workload
