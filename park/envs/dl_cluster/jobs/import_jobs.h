#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/files/recording.h"

namespace park::dl_cluster::jobs {

/// Where recorded jobs come from. Columns, members and tables that are not named are not read.
enum class Form {
  /// `cluster_job_log` of Philly (M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters
  /// for DNN Training Workloads", ATC 2019): a JSON array of jobs with submitted_time, status and
  /// attempts. Each attempt has start_time, end_time and, in detail, the GPUs of each server.
  philly,
  /// `cluster_log.csv` of Helios (Q. Hu et al., "Characterization and Prediction of Deep Learning
  /// Workloads in Large-Scale GPU Datacenters", SC 2021): submit_time, gpu_num, duration, state.
  helios,
  /// `pai_job_table.csv` and `pai_task_table.csv` of Alibaba PAI (Q. Weng et al., "MLaaS in the
  /// Wild", NSDI 2022), which have no first line with names. Six and ten columns tell the tables.
  alibaba2020,
  /// `openb_pod_list_*.csv` of Alibaba (Q. Weng et al., "Beware of Fragmentation", ATC 2023):
  /// num_gpu, pod_phase, creation_time, scheduled_time, deletion_time.
  alibaba2023,
};

struct ImportOptions : files::RecordedPart {
  std::string take = "all";

  bool operator==(const ImportOptions&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    files::RecordedPart::fields(c, visit);
    visit("take", c.take,
          FieldDoc{.doc = "jobs that are taken: all that ran, or those that ended well",
                   .choices = "all|completed"});
  }
};

/// What was read and made. Rows are those of jobs, and with alibaba2020 also those of tasks.
struct ImportReport : files::RowCount {
  std::uint64_t not_run = 0;        ///< jobs left out: no GPU, or no known time on it
  std::uint64_t not_completed = 0;  ///< jobs left out with take=completed
  std::uint64_t jobs = 0;           ///< that were written
  double length_s = 0;              ///< from the first to the last submission of them
  double gpu_s = 0;                 ///< GPUs times run time of all of them
};

/// Reads the files and appends a trace of jobs (JobTrace), in the order of submission, with times
/// from the first one on, in microseconds. Jobs submitted at one time stay in the order of the
/// files. Memory is one row of a file and a small record per job: 24 bytes, and with alibaba2020 its
/// name and three numbers. Shares of a GPU are added up and raised to a whole number. Throws
/// Error{bad_file} for a file of another form, more than 1 % broken rows, or a file that is cut
/// short. Throws it too for more than 1e7 jobs, or fewer than two jobs at different times. What was
/// appended is then useless.
[[nodiscard]] ImportReport import_jobs(Form, std::vector<files::RecordedFile>, const ImportOptions&,
                                       const std::function<void(std::string_view)>& append);

}  // namespace park::dl_cluster::jobs
