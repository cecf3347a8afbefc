// `park workload`: the group of commands about workloads, and `show`, which describes one as a
// table, as JSON or as a page. A workload is opened in prepare and described in run.
#include "park/envs/dag_scheduling/workload.h"

#include <algorithm>

#include "cli/data/workload_commands.h"
#include "cli/data/workload_page.h"
#include "cli/frame/command.h"
#include "cli/frame/files.h"
#include "cli/frame/numbers.h"
#include "cli/frame/strings.h"
#include "cli/frame/table.h"

namespace park::cli {
namespace {

constexpr std::size_t kMostJobsShown = 100;  // to people

std::string joined(const std::vector<std::uint16_t>& numbers) {
  std::string all;
  for (const std::uint16_t n : numbers) all += (all.empty() ? "" : " ") + std::to_string(n);
  return all;
}

void add_job(Table& table, const std::string& name,
             const dag_scheduling::workload::JobSummary& job) {
  table.add({name, std::to_string(job.stages), std::to_string(job.edges),
             std::to_string(job.levels), std::to_string(job.tasks), rounded(job.work_s, 2),
             rounded(job.critical_path_s, 2), std::to_string(job.samples), joined(job.executors)});
}

void write_job(JsonWriter& json, const dag_scheduling::workload::JobSummary& job) {
  json.begin_object(JsonWriter::Layout::line).member("name", job.name);
  json.member("stages", job.stages).member("edges", job.edges).member("levels", job.levels);
  json.member("tasks", job.tasks).member("work_s", job.work_s);
  json.member("critical_path_s", job.critical_path_s).member("run_s", job.run_s);
  json.member("cpu_s", job.cpu_s).member("samples", job.samples);
  json.key("executors").begin_array();
  for (const std::uint16_t n : job.executors) json.value(n);
  json.end_array().end_object();
}

class DescribeWorkload final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "describe",
            .summary = "jobs, stages, tasks and samples of a workload file",
            .details =
                "Times are seconds: work is tasks times mean duration, the critical path "
                "the longest chain when every stage takes one mean task.",
            .example = "park workload describe bundled --html workload.html"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 Options::Need::required);
    options.text("--html", "FILE", html_,
                 "also write a page for a browser: graphs, distributions, durations");
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void prepare(Session&, Violations& wrong) override {
    check_output("--html", html_, overwrite_, wrong);
    if (!html_.empty() && !html_.ends_with(".html"))
      wrong.add("--html: " + html_ + ": the name must end in .html");
  }

  int run(Session& session) override {
    const auto loaded = dag_scheduling::Workload::open(file_);
    const dag_scheduling::workload::WorkloadSummary summary =
        dag_scheduling::workload::summarize(*loaded);
    if (!html_.empty()) write_file(html_, workload_page(*loaded, file_));
    if (session.json()) {
      JsonWriter json;
      json.begin_object().member("file", file_).key("workload");
      write_workload_summary(json, summary);
      session.print(json.end_object().take());
    } else {
      session.print(workload_summary_text(summary, session.width()));
    }
    return kDone;
  }

 private:
  std::string file_, html_;
  bool overwrite_ = false;
};

class WorkloadCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "workload",
            .summary = "import, generate, change and describe job workloads",
            .details = "",
            .example = "park workload import-spark app-1.log.gz --exclude warmup --out jobs.park"};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(make_import_spark_command());
    all.push_back(make_import_decima_command());
    all.push_back(make_import_dag_command());
    all.push_back(make_generate_command());
    all.push_back(make_merge_command());
    all.push_back(make_filter_command());
    all.push_back(make_scale_command());
    all.push_back(make_export_command());
    all.push_back(std::make_unique<DescribeWorkload>());
    return all;
  }
};

}  // namespace

void write_workload_summary(JsonWriter& json,
                            const dag_scheduling::workload::WorkloadSummary& summary) {
  json.begin_object().member("name", summary.name).member("provenance", summary.provenance);
  json.member("inflation", summary.inflation.present).member("jobs", summary.jobs);
  json.member("memory_bytes", summary.memory_bytes).key("total");
  write_job(json, summary.total);
  json.key("per_job").begin_array();
  for (const dag_scheduling::workload::JobSummary& job : summary.per_job) write_job(json, job);
  json.end_array().end_object();
}

std::string workload_summary_text(const dag_scheduling::workload::WorkloadSummary& summary,
                                  std::size_t width) {
  using Align = Table::Align;
  std::string text = "workload " + summary.name + ": " + plural(summary.jobs, "job") + ", " +
                     plural(summary.total.stages, "stage") + ", " +
                     count_text(static_cast<double>(summary.total.samples)) + " samples, " +
                     count_text(static_cast<double>(summary.memory_bytes)) + "B in memory\n";
  text += summary.inflation.present ? "durations beyond the measured executors: extrapolated\n"
                                    : "durations beyond the measured executors: as measured\n";
  if (!summary.provenance.empty())
    for (const std::string& step : split(summary.provenance, '\n'))
      for (const std::string& line : wrap(step, width)) text += line + '\n';
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

std::unique_ptr<Command> make_workload_command() { return std::make_unique<WorkloadCommand>(); }

}  // namespace park::cli
