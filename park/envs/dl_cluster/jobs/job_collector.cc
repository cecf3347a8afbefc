#include "park/envs/dl_cluster/jobs/job_collector.h"

#include <algorithm>
#include <cmath>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::dl_cluster::jobs {
namespace {

constexpr double kRounding = 1e-9;  // of a sum of shares that is a whole number

}  // namespace

std::string JobCollector::take(const RecordedJob& job) {
  if (job.gpus > JobTrace::kMostRequest)
    return "asks for " + number_text(job.gpus) + " GPUs; at most 1e6 are allowed";
  if (job.run_s && *job.run_s > JobTrace::kMostRunS)
    return "ran for " + number_text(*job.run_s) + " s; at most 1e9 s are allowed";
  if (job.gpus <= 0 || !job.run_s || *job.run_s < JobTrace::kLeastRunS) {
    ++report_.not_run;
    return "";
  }
  first_s_ = std::min(first_s_, job.submit_s);
  if (options_.take == "completed" && !job.completed) {
    ++report_.not_completed;
  } else if (jobs_.size() == JobTrace::kMost) {
    throw Error(Errc::bad_file, "there are more than 1e7 jobs");
  } else {
    const double gpus = std::max(1.0, std::ceil(job.gpus - kRounding));
    jobs_.push_back({job.submit_s, *job.run_s, static_cast<std::int32_t>(gpus)});
  }
  return "";
}

void JobCollector::write(const std::function<void(std::string_view)>& append) {
  std::ranges::stable_sort(jobs_, {}, &JobTrace::Job::submit_s);
  append(std::string(JobTrace::kHeader) + '\n');
  double first_s = 0;
  for (const JobTrace::Job& job : jobs_) {
    if (!options_.has(job.submit_s, first_s_)) continue;
    if (report_.jobs == 0) first_s = job.submit_s;
    report_.length_s = files::in_microseconds(job.submit_s - first_s);
    const double run_s = files::in_microseconds(job.run_s);
    append(number_text(report_.length_s) + ',' + std::to_string(job.gpus) + ',' +
           number_text(run_s) + '\n');
    report_.gpu_s += job.gpus * run_s;
    ++report_.jobs;
  }
  if (report_.length_s == 0) throw Error(Errc::bad_file, "no two jobs at different times are left");
}

ImportReport import_jobs(Form form, std::vector<files::RecordedFile> recorded,
                         const ImportOptions& options,
                         const std::function<void(std::string_view)>& append) {
  ImportReport report;
  JobCollector jobs(options, report);
  if (form == Form::alibaba2020) read_alibaba2020(recorded, jobs);
  if (form != Form::alibaba2020) {
    const auto read = form == Form::philly   ? read_philly
                      : form == Form::helios ? read_helios
                                             : read_alibaba2023;
    for (files::RecordedFile& file : recorded) read(file, jobs);
  }
  report.refuse_broken();
  jobs.write(append);
  return report;
}

}  // namespace park::dl_cluster::jobs
