// Makes a workload of files of job graphs. The form of a file is told by its first bytes; its
// reader adds jobs to the DagCollector. The collector filters by name, counts what is left out and
// notes arrivals; build puts the workload together after the last file. `park workload import-dag`
// calls it.
#include "park/envs/dag_scheduling/workload/import_dag.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/dag_collector.h"
#include "park/files/csv.h"
#include "park/files/unpack.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kAlibabaColumns = 9;

/// Tells how many bytes pass.
class CountedSource final : public files::ByteSource {
 public:
  CountedSource(std::unique_ptr<files::ByteSource> from,
                std::function<void(std::uint64_t)> progress)
      : from_(std::move(from)), progress_(std::move(progress)) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = from_->read(into);
    if (progress_) progress_(count);
    return count;
  }

 private:
  std::unique_ptr<files::ByteSource> from_;
  std::function<void(std::uint64_t)> progress_;
};

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// jobs of folder/jobs.csv.gz.
std::string stem(const std::string& path) {
  const std::string name = file_name(path);
  const std::string before = name.substr(0, name.find('.', 1));
  return before.empty() ? "jobs" : before;
}

DagForm form_of(const std::string& path) {
  const auto source = files::plain_text(files::file_source(path), path);
  std::string head(kHeadBytes, '\0');
  head.resize(source->read(head));
  return detect_form(head, path);
}

}  // namespace

std::string_view form_name(DagForm form) noexcept {
  return form == DagForm::json ? "json" : form == DagForm::csv ? "csv" : "alibaba";
}

DagForm detect_form(std::string_view head, const std::string& name) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && head[begin] == '{') return DagForm::json;
  std::vector<std::string> fields;
  if (files::split_csv(head.substr(0, head.find_first_of("\r\n")), fields).empty()) {
    const auto has = [&](const char* column) {
      return std::find(fields.begin(), fields.end(), column) != fields.end();
    };
    if (has("job") && has("tasks")) return DagForm::csv;
    if (fields.size() == kAlibabaColumns) return DagForm::alibaba;
  }
  throw Error(Errc::bad_file,
              name +
                  ":1: no form of job graphs: json begins with {, csv with a line that names the "
                  "columns job and tasks, alibaba has 9 columns; see docs/workload-format.md");
}

DagCollector::DagCollector(const DagImportOptions& options, DagImportReport& report)
    : options_(options), report_(report), builder_("", "") {}

bool DagCollector::wants(std::string_view name) {
  if (options_.one_in > 1 && Rng(hash_text(name)).below(options_.one_in) != 0) return false;
  if (looked_at_ == options_.max_jobs) return false;
  if (looked_at_ == dag_scheduling::WorkloadLimits::kJobs) {
    throw Error(Errc::bad_file, "more than 1000000 jobs; choose some with --one-in or --max-jobs");
  }
  ++looked_at_;
  return true;
}

void DagCollector::add(const JobDraft& job, FileViolations& bad) {
  const std::size_t before = bad.size();
  const dag_scheduling::JobProfile profile = resolve(job, bad);
  if (bad.size() == before && !add(profile, job.arrival_s)) {
    bad.add(job.line, "job " + shown(job.name) + ": the name occurs more than once");
  }
}

bool DagCollector::add(const dag_scheduling::JobProfile& job, std::optional<double> arrival_s) {
  if (!names_.insert(job.name).second) return false;
  builder_.add_job(job);
  ++report_.jobs;
  report_.stages += job.stages.size();
  for (const dag_scheduling::StageProfile& stage : job.stages) {
    for (const auto& cell : stage.cells) report_.samples += cell.durations_ms.size();
  }
  if (arrival_s) {
    report_.arrivals.push_back({*arrival_s, job.name});
  } else {
    ++report_.without_arrival;
  }
  return true;
}

void DagCollector::drop(const std::string& reason, const std::string& place) {
  const auto same = [&](const DagImportReport::Dropped& d) { return d.reason == reason; };
  auto at = std::find_if(report_.dropped.begin(), report_.dropped.end(), same);
  if (at == report_.dropped.end()) {
    report_.dropped.push_back({reason, 0, place});
    at = std::prev(report_.dropped.end());
  }
  ++at->jobs;
}

std::string DagCollector::command(const DagInput& input) const {
  std::string text = "park workload import-dag " + file_name(input.name) + " --form " +
                     std::string(form_name(input.form));
  if (options_.one_in > 1) text += " --one-in " + std::to_string(options_.one_in);
  if (options_.max_jobs < DagImportOptions::kAll) {
    text += " --max-jobs " + std::to_string(options_.max_jobs);
  }
  if (input.form != DagForm::alibaba) return text;
  std::string status;
  for (const std::string& one : options_.status) status += (status.empty() ? "" : ",") + one;
  return text + " --status " + status +
         " (every task of a stage is given the time from the stage's start to its end)";
}

void DagCollector::add_head(const DagHead& head, const DagInput& input) {
  if (name_.empty()) name_ = head.name.empty() ? stem(input.name) : head.name;
  const std::string how = head.provenance.empty() ? command(input) : head.provenance;
  // Files made the same way say so once.
  if (provenance_.find(how) == std::string::npos) {
    provenance_ += (provenance_.empty() ? "" : "\n") + how;
  }
  const dag_scheduling::Inflation inflation = head.inflation.value_or(dag_scheduling::Inflation{});
  if (!inflation_) {
    inflation_ = inflation;
    first_file_ = input.name;
  } else if (!options_.inflation && inflation_ != inflation) {
    throw Error(Errc::bad_file, input.name + ": its inflation differs from that of " + first_file_ +
                                    "; give model or none");
  }
}

void DagCollector::sort_arrivals() {
  auto& list = report_.arrivals;
  std::stable_sort(list.begin(), list.end(),
                   [](const DagArrival& a, const DagArrival& b) { return a.time_s < b.time_s; });
  for (std::size_t i = list.size(); i > 0; --i) list[i - 1].time_s -= list[0].time_s;
}

dag_scheduling::Workload DagCollector::build() {
  if (report_.jobs == 0) {
    std::string what = "no job is left";
    for (const auto& d : report_.dropped) {
      what += "\n" + d.reason + ": " + std::to_string(d.jobs) + " dropped, the first is " + d.first;
    }
    throw Error(Errc::bad_file, what);
  }
  sort_arrivals();
  builder_.set_head(options_.name.empty() ? name_ : options_.name, provenance_,
                    options_.inflation.value_or(inflation_.value_or(dag_scheduling::Inflation{})));
  return builder_.build();
}

dag_scheduling::Workload import_dag(std::span<DagInput> inputs, const DagImportOptions& options,
                                    DagImportReport& report) {
  report = {};
  DagCollector all(options, report);
  for (DagInput& input : inputs) {
    DagHead head;
    if (input.form == DagForm::json) head = read_dag_json(*input.source, input.name, all);
    if (input.form == DagForm::csv) read_dag_csv(*input.source, input.name, all);
    if (input.form == DagForm::alibaba) read_dag_alibaba(*input.source, input.name, all);
    if (input.source->cut_short()) {
      throw Error(Errc::bad_file, input.name + ": its compressed data breaks off");
    }
    all.add_head(head, input);
  }
  return all.build();
}

dag_scheduling::Workload import_dag(const std::vector<std::string>& paths,
                                    std::optional<DagForm> form, const DagImportOptions& options,
                                    DagImportReport& report) {
  std::vector<DagInput> inputs;
  for (const std::string& path : paths) {
    const DagForm known = form ? *form : form_of(path);
    auto counted = std::make_unique<CountedSource>(files::file_source(path), options.progress);
    inputs.push_back({path, known, files::plain_text(std::move(counted), path)});
  }
  return import_dag(inputs, options, report);
}

std::string arrivals_csv(std::span<const DagArrival> arrivals) {
  std::string text = "time_s,job\n";
  for (const DagArrival& one : arrivals) text += number_text(one.time_s) + ',' + one.job + '\n';
  return text;
}

}  // namespace park::dag_scheduling::workload
