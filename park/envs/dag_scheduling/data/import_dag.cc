// `park data workload import dag`: makes a workload of files of job graphs. Options become
// DagImportOptions; progress is told in bytes while the files are read; then the workload and,
// where asked for, the arrivals are written and what was left out is told.
#include "park/envs/dag_scheduling/workload/import_dag.h"

#include <filesystem>
#include <memory>

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/command/strings.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/write_workload.h"

namespace park::dag_scheduling::workload {
namespace {

/// Bytes of all files; one that is missing is told by who reads it.
std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  std::error_code missing;
  for (const std::string& file : files) {
    const std::uintmax_t size = std::filesystem::file_size(file, missing);
    if (!missing) bytes += size;
  }
  return bytes;
}

class ImportDag final : public WriteWorkload {
 public:
  command::ActionInfo info() const override {
    return {
        .name = "import",
        .form = "dag",
        .summary = "job graphs in JSON or CSV, or of the Alibaba cluster trace v2018",
        .details =
            "docs/workload-format.md describes the forms. Files may be compressed. What is left "
            "out is printed in groups with the reason.",
        .example = "batch_task.csv --one-in 100 --out alibaba.park"};
  }

  void declare(command::Options& options) override {
    options.texts("FILE", files_, "files of job graphs", command::Options::Need::required);
    declare_out(options);
    options.choice("--form", form_, {"auto", "json", "csv", "alibaba"},
                   "form of the files; auto: as they begin");
    options.text("--name", "NAME", options_.name,
                 "of the workload; without it what the file says, or its name");
    options.choice("--inflation", inflation_, {"file", "model", "none"}, kInflationOfFile);
    options.text("--status", "STATUS[,STATUS...]", status_,
                 "alibaba: jobs stay whose tasks all have one of these");
    options.integer("--one-in", "N", options_.one_in, {1, 1'000'000'000},
                    "take one job in N, chosen by a hash of its name");
    options.integer("--max-jobs", "N", max_jobs_, {0, WorkloadLimits::kJobs},
                    "look at no more than the first N of these jobs; 0: no limit");
    options.text("--arrivals", "FILE.csv", arrivals_,
                 "also write when each job arrives, for dag_scheduling(arrival=file)");
  }

  void check(Violations& wrong) override {
    WriteWorkload::check(wrong);
    check_further("--arrivals", arrivals_, wrong);
    options_.status = command::split(status_, ',');
  }

 private:
  Workload build(command::ReadProgress& progress) override {
    if (max_jobs_ > 0) options_.max_jobs = max_jobs_;
    if (inflation_ != "file") options_.inflation = inflation_of(inflation_);
    std::optional<DagForm> form;
    for (const DagForm one : {DagForm::json, DagForm::csv, DagForm::alibaba}) {
      if (form_ == form_name(one)) form = one;
    }
    progress.expect(total_bytes(files_));
    options_.progress = [&progress](std::uint64_t bytes) { progress.advance(bytes); };
    Workload made = import_dag(files_, form, options_, report_);
    options_.progress = nullptr;
    if (!arrivals_.empty()) check_arrivals();
    return made;
  }

  void check_arrivals() const {
    if (report_.without_arrival > 0) {
      throw Error(Errc::bad_file,
                  "--arrivals: jobs without arrival_s: " + std::to_string(report_.without_arrival) +
                      " of " + std::to_string(report_.jobs) + "; all must have one");
    }
    if (report_.arrivals.back().time_s > kMaxArrivalS) {
      throw Error(Errc::bad_file, "--arrivals: job " + report_.arrivals.back().job +
                                      " arrives more than 1e9 s after the first one");
    }
  }

  void write_more() const override {
    if (!arrivals_.empty()) command::write_file(arrivals_, arrivals_csv(report_.arrivals));
  }

  void write_report(JsonWriter& json) const override {
    if (!arrivals_.empty()) json.member("arrivals", arrivals_);
    json.key("report").begin_object().member("lines", report_.lines);
    json.member("jobs", report_.jobs).member("stages", report_.stages);
    json.member("samples", report_.samples).key("dropped").begin_array();
    for (const auto& dropped : report_.dropped) {
      json.begin_object(JsonWriter::Layout::line).member("reason", dropped.reason);
      json.member("jobs", dropped.jobs).member("first", dropped.first).end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report_.notes) json.value(note);
    json.end_array().end_object();
  }

  std::string report_text() const override {
    std::string text = arrivals_.empty() ? "" : "wrote " + arrivals_ + '\n';
    text += command::plural(report_.lines, "line") + ", " + command::plural(report_.jobs, "job") +
            " kept\n";
    for (const auto& dropped : report_.dropped) {
      text += "dropped: " + command::plural(dropped.jobs, "job") + ": " + dropped.reason +
              "; the first is " + dropped.first + '\n';
    }
    for (const std::string& note : report_.notes) text += "note: " + note + '\n';
    return text;
  }

  static constexpr const char* kInflationOfFile =
      "durations beyond the measured executors: as the file says, grow as fitted to Decima's "
      "profiles, or not at all";

  std::vector<std::string> files_;
  std::string form_ = "auto", inflation_ = "file", status_ = "Terminated", arrivals_;
  std::uint64_t max_jobs_ = 0;
  DagImportOptions options_;
  DagImportReport report_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_dag() { return std::make_unique<ImportDag>(); }

}  // namespace park::dag_scheduling::workload
