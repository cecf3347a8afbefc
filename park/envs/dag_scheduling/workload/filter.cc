#include "park/envs/dag_scheduling/workload/filter.h"

#include <fnmatch.h>

#include "park/command/field_options.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/command_text.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {
namespace {

/// Whether a name fits one of the patterns, which commas separate.
bool fits(const std::string& name, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string pattern(patterns.substr(0, patterns.find(',')));
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
  }
  return false;
}

template <class T>
bool within(T low, T value, T high) {
  return low <= value && value <= high;
}

template <class T>
void check_range(const char* low_name, T low, const char* high_name, T high, Violations& bad) {
  if (low <= high) return;
  const auto text = [](T v) { return number_text(static_cast<double>(v)); };
  bad.add(std::string(low_name) + " = " + text(low) + " is above " + high_name + " = " +
          text(high));
}

}  // namespace

void JobFilter::check(const JobFilter& f, Violations& bad) {
  check_range("min_stages", f.min_stages, "max_stages", f.max_stages, bad);
  check_range("min_tasks", f.min_tasks, "max_tasks", f.max_tasks, bad);
  check_range("min_work_s", f.min_work_s, "max_work_s", f.max_work_s, bad);
  check_range("min_critical_path_s", f.min_critical_path_s, "max_critical_path_s",
              f.max_critical_path_s, bad);
}

bool JobFilter::keeps(const JobSummary& job) const {
  return fits(job.name, match) && !fits(job.name, exclude) &&
         within<std::uint64_t>(min_stages, job.stages, max_stages) &&
         within(min_tasks, static_cast<std::uint64_t>(job.tasks), max_tasks) &&
         within(min_work_s, job.work_s, max_work_s) &&
         within(min_critical_path_s, job.critical_path_s, max_critical_path_s);
}

dag_scheduling::Workload filter_workload(const dag_scheduling::Workload& from,
                                         const std::string& source, const JobFilter& filter) {
  const WorkloadSummary summary = summarize(from);
  dag_scheduling::WorkloadBuilder builder("", "");
  std::uint64_t met = 0, kept = 0;
  for (std::size_t j = 0; j < from.jobs().size(); ++j) {
    if (!filter.keeps(summary.per_job[j]) || met++ % filter.every != 0) continue;
    builder.add_job(dag_scheduling::job_profile(from, from.jobs()[j]));
    ++kept;
  }
  const std::string count = std::to_string(from.jobs().size());
  if (kept == 0)
    throw Error(Errc::bad_file, source + ": the filter leaves none of " + count + " jobs");
  builder.set_head(
      from.name(),
      derived(from.provenance(), "park workload filter " + source + command::options_text(filter) +
                                     " (" + std::to_string(kept) + " of " + count + " jobs)"),
      from.inflation());
  return builder.build();
}

}  // namespace park::dag_scheduling::workload
