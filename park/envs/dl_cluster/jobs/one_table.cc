// The forms whose jobs are the rows of one table: Helios and Alibaba 2023.
#include <string>

#include "park/envs/dl_cluster/jobs/job_collector.h"
#include "park/envs/dl_cluster/jobs/row_fields.h"

namespace park::dl_cluster::jobs {
namespace {

/// Takes the job of every row. `read` makes it of the fields.
template <class Read>
void take_rows(files::RecordedCsv& rows, JobCollector& jobs, Read&& read) {
  while (rows.next()) {
    RowFields fields(rows);
    const RecordedJob job = read(fields);
    const std::string wrong = fields.wrong().empty() ? jobs.take(job) : fields.wrong();
    if (!wrong.empty()) rows.add_broken(wrong);
  }
}

}  // namespace

void read_helios(files::RecordedFile& file, JobCollector& jobs) {
  files::RecordedCsv rows(file, jobs.report());
  const Column submitted = column_of(rows, "submit_time"), gpus = column_of(rows, "gpu_num");
  const Column duration = column_of(rows, "duration"), state = column_of(rows, "state");
  take_rows(rows, jobs, [&](RowFields& row) {
    RecordedJob job;
    job.submit_s = row.date(submitted);
    job.gpus = row.number(gpus, JobTrace::kMostRequest);
    job.run_s = row.number_or_none(duration, JobTrace::kMostRunS);
    job.completed = row.text(state) == "COMPLETED";
    return job;
  });
}

void read_alibaba2023(files::RecordedFile& file, JobCollector& jobs) {
  files::RecordedCsv rows(file, jobs.report());
  const Column created = column_of(rows, "creation_time"), gpus = column_of(rows, "num_gpu");
  const Column scheduled = column_of(rows, "scheduled_time");
  const Column deleted = column_of(rows, "deletion_time"), phase = column_of(rows, "pod_phase");
  take_rows(rows, jobs, [&](RowFields& row) {
    RecordedJob job;
    job.submit_s = row.number(created, JobTrace::kMostSubmitS);
    job.gpus = row.number(gpus, JobTrace::kMostRequest);
    const auto start_s = row.number_or_none(scheduled, JobTrace::kMostSubmitS);
    const auto end_s = row.number_or_none(deleted, JobTrace::kMostSubmitS);
    if (start_s && end_s) job.run_s = *end_s - *start_s;
    job.completed = row.text(phase) == "Succeeded";
    return job;
  });
}

}  // namespace park::dl_cluster::jobs
