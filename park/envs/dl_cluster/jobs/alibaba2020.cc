// The job and task tables of Alibaba PAI. Tasks are read first: those with GPUs are summed up by the
// name of their job. Each row of the job table then takes the sum of its name. import_jobs calls
// read_alibaba2020.
#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dl_cluster/jobs/job_collector.h"
#include "park/envs/dl_cluster/jobs/row_fields.h"

namespace park::dl_cluster::jobs {
namespace {

// The first lines of the header files that lie beside the tables.
constexpr const char* kJobHeader = "job_name,inst_id,user,status,start_time,end_time";
constexpr const char* kTaskHeader =
    "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type";
constexpr std::size_t kJobColumns = 6, kTaskColumns = 10;
constexpr std::size_t kLongestName = 64;
constexpr double kMostPercent = 1e8;

/// The tasks of a job that have GPUs.
struct TaskSum {
  double gpus = 0;
  double start_s = kInf, end_s = 0;  ///< of the first and of the last one
  bool known = true;                 ///< every task has both times
};

using TaskSums = std::unordered_map<std::string, TaskSum>;

/// Times 0 and empty ones are not known.
std::optional<double> known_time(RowFields& row, Column c) {
  const auto time_s = row.number_or_none(c, JobTrace::kMostSubmitS);
  return time_s && *time_s > 0 ? time_s : std::nullopt;
}

std::string wrong_name(const std::string& name) {
  if (!name.empty() && name.size() <= kLongestName) return "";
  return "job_name must have 1 to " + std::to_string(kLongestName) + " characters";
}

/// Adds a task; returns what is wrong with its row, or "".
std::string add_task(RowFields& row, TaskSums& sums) {
  const std::string& name = row.text({0, "job_name"});
  if (std::string wrong = wrong_name(name); !wrong.empty()) return wrong;
  const double percent = row.number_or_none({8, "plan_gpu"}, kMostPercent).value_or(0);
  if (percent == 0) return row.wrong();
  const double gpus = row.number({2, "inst_num"}, JobTrace::kMostRequest) * percent / 100;
  const auto start_s = known_time(row, {4, "start_time"}), end_s = known_time(row, {5, "end_time"});
  if (!row.wrong().empty()) return row.wrong();
  TaskSum& sum = sums[name];
  if (sums.size() > JobTrace::kMost) throw Error(Errc::bad_file, "there are more than 1e7 jobs");
  sum.gpus += gpus;
  sum.known = sum.known && start_s && end_s;
  if (start_s) sum.start_s = std::min(sum.start_s, *start_s);
  if (end_s) sum.end_s = std::max(sum.end_s, *end_s);
  return "";
}

/// Takes a job with the sum of its tasks, which no other job gets; returns what is wrong, or "".
std::string add_job(RowFields& row, TaskSums& sums, JobCollector& jobs) {
  const std::string& name = row.text({0, "job_name"});
  if (std::string wrong = wrong_name(name); !wrong.empty()) return wrong;
  RecordedJob job;
  const auto submit_s = known_time(row, {4, "start_time"});
  if (!row.wrong().empty()) return row.wrong();
  job.submit_s = submit_s.value_or(0);
  job.completed = row.text({3, "status"}) == "Terminated";
  if (const auto at = sums.find(name); at != sums.end()) {
    const TaskSum& sum = at->second;
    job.gpus = sum.gpus;
    if (submit_s && sum.known) job.run_s = sum.end_s - sum.start_s;
    sums.erase(at);
  }
  return jobs.take(job);
}

/// Whether it is the task table; throws where it is neither table.
bool is_task_table(const files::RecordedCsv& rows) {
  const std::size_t columns = rows.columns();
  if (columns != kJobColumns && columns != kTaskColumns)
    throw Error(Errc::bad_file, rows.name() +
                                    ":1: must have the 6 columns of pai_job_table or the 10 of "
                                    "pai_task_table");
  if (rows[0].find('\0') != std::string::npos)
    throw Error(Errc::bad_file, rows.name() + ": is an archive; unpack its table first");
  return columns == kTaskColumns;
}

template <class Add>
void add_rows(std::list<files::RecordedCsv>& tables, Add&& add) {
  for (files::RecordedCsv& rows : tables) {
    while (rows.next()) {
      RowFields row(rows);
      if (const std::string wrong = add(row); !wrong.empty()) rows.add_broken(wrong);
    }
  }
}

}  // namespace

void read_alibaba2020(std::vector<files::RecordedFile>& recorded, JobCollector& jobs) {
  std::list<files::RecordedCsv> job_tables, task_tables;
  for (files::RecordedFile& file : recorded) {
    files::RecordedCsv rows(file, jobs.report());
    const bool of_tasks = is_task_table(rows);
    rows.begin_with_first(of_tasks ? kTaskHeader : kJobHeader);
    (of_tasks ? task_tables : job_tables).push_back(std::move(rows));
  }
  if (job_tables.empty() || task_tables.empty())
    throw Error(Errc::bad_file,
                job_tables.empty() ? "no FILE is a pai_job_table" : "no FILE is a pai_task_table");
  TaskSums sums;
  add_rows(task_tables, [&](RowFields& row) { return add_task(row, sums); });
  add_rows(job_tables, [&](RowFields& row) { return add_job(row, sums, jobs); });
}

}  // namespace park::dl_cluster::jobs
