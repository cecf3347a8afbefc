#include "park/envs/dag_scheduling/data/summary_text.h"

#include <algorithm>

#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"

namespace park::dag_scheduling::workload {
namespace {

using command::count_text;
using command::plural;
using command::rounded;
using command::Table;

constexpr std::size_t kMostJobsShown = 100;  // to people

std::string listed(const std::vector<std::uint16_t>& numbers) {
  std::string all;
  for (const std::uint16_t n : numbers) all += (all.empty() ? "" : " ") + std::to_string(n);
  return all;
}

void add_job(Table& table, const std::string& name, const JobSummary& job) {
  table.add({name, std::to_string(job.stages), std::to_string(job.edges),
             std::to_string(job.levels), std::to_string(job.tasks), rounded(job.work_s, 2),
             rounded(job.critical_path_s, 2), std::to_string(job.samples), listed(job.executors)});
}

void write_job(JsonWriter& json, const JobSummary& job) {
  json.begin_object(JsonWriter::Layout::line).member("name", job.name);
  json.member("stages", job.stages).member("edges", job.edges).member("levels", job.levels);
  json.member("tasks", job.tasks).member("work_s", job.work_s);
  json.member("critical_path_s", job.critical_path_s).member("run_s", job.run_s);
  json.member("cpu_s", job.cpu_s).member("samples", job.samples);
  json.key("executors").begin_array();
  for (const std::uint16_t n : job.executors) json.value(n);
  json.end_array().end_object();
}

}  // namespace

void write_summary(JsonWriter& json, const WorkloadSummary& summary) {
  json.begin_object().member("name", summary.name).member("provenance", summary.provenance);
  json.member("inflation", summary.inflation.present).member("jobs", summary.jobs);
  json.member("memory_bytes", summary.memory_bytes).key("total");
  write_job(json, summary.total);
  json.key("per_job").begin_array();
  for (const JobSummary& job : summary.per_job) write_job(json, job);
  json.end_array().end_object();
}

std::string summary_text(const WorkloadSummary& summary, std::size_t width) {
  using Align = Table::Align;
  std::string text = "workload " + summary.name + ": " + plural(summary.jobs, "job") + ", " +
                     plural(summary.total.stages, "stage") + ", " +
                     count_text(static_cast<double>(summary.total.samples)) + " samples, " +
                     count_text(static_cast<double>(summary.memory_bytes)) + "B in memory\n";
  text += summary.inflation.present ? "durations beyond the measured executors: extrapolated\n"
                                    : "durations beyond the measured executors: as measured\n";
  if (!summary.provenance.empty())
    for (const std::string& step : command::split(summary.provenance, '\n'))
      for (const std::string& line : command::wrap(step, width)) text += line + '\n';
  Table table({{"job"},
               {"stages", Align::right},
               {"edges", Align::right},
               {"levels", Align::right},
               {"tasks", Align::right},
               {"work s", Align::right},
               {"critical path s", Align::right},
               {"samples", Align::right},
               {"executors"}});
  const std::size_t shown = std::min(summary.per_job.size(), kMostJobsShown);
  for (std::size_t j = 0; j < shown; ++j)
    add_job(table, summary.per_job[j].name, summary.per_job[j]);
  if (shown < summary.per_job.size())
    table.add_heading("and " + plural(summary.per_job.size() - shown, "more job") +
                      "; --json lists all");
  if (summary.per_job.size() > 1) add_job(table, "all", summary.total);
  return text + '\n' + table.text(0, width);
}

}  // namespace park::dag_scheduling::workload
