#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/space.h"
#include "park/envs/dl_cluster/job_trace.h"
#include "park/envs/dl_cluster/jobs/import_jobs.h"

namespace park::dl_cluster::jobs {

/// What was recorded of a job.
struct RecordedJob {
  double submit_s = 0;
  double gpus = 0;              ///< that it asked for; may be a part of one
  std::optional<double> run_s;  ///< on them; none where that is not known
  bool completed = false;       ///< ended well
};

/// Keeps the jobs that were recorded and writes them in the order of submission.
class JobCollector {
 public:
  /// Both must outlive it.
  JobCollector(const ImportOptions& options, ImportReport& report)
      : options_(options), report_(report) {}

  /// Keeps a job, or counts why it is left out. Returns what is wrong with its row, or "". Throws
  /// Error{bad_file} where there are too many jobs.
  [[nodiscard]] std::string take(const RecordedJob&);
  /// Appends the trace. Throws Error{bad_file} where it has no two jobs at different times.
  void write(const std::function<void(std::string_view)>& append);
  /// What was read so far.
  [[nodiscard]] ImportReport& report() noexcept { return report_; }

 private:
  const ImportOptions& options_;
  ImportReport& report_;
  std::vector<JobTrace::Job> jobs_;
  double first_s_ = kInf;  // of all jobs that ran
};

// Each reads one form.
void read_philly(files::RecordedFile&, JobCollector&);
void read_helios(files::RecordedFile&, JobCollector&);
void read_alibaba2023(files::RecordedFile&, JobCollector&);
/// Both tables, in any order and number.
void read_alibaba2020(std::vector<files::RecordedFile>&, JobCollector&);

}  // namespace park::dl_cluster::jobs
