// `park data workload import spark` and `decima`, and `merge`. check looks at the options; build makes
// one workload of all inputs, which WriteWorkload then writes; the report tells what was left out.
#include <optional>

#include "park/command/numbers.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/write_workload.h"
#include "park/envs/dag_scheduling/workload/import_decima.h"
#include "park/envs/dag_scheduling/workload/import_spark.h"
#include "park/envs/dag_scheduling/workload/merge.h"

namespace park::dag_scheduling::workload {
namespace {

using command::plural;

class ImportSpark final : public WriteWorkload {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "spark",
            .summary = "jobs of Spark event logs",
            .details =
                "LOG is an event log of Spark 3 or 4, also one still being written: a plain file, "
                "one packed with zstd, lz4 or gzip, or the folder of a rolled log. Executions of "
                "one job, in one log or several, become one job with all their samples. What is "
                "left out is told, with the reason.",
            .example = "app-1.zstd eventlog_v2_app-2 --exclude warmup --out jobs.park"};
  }

  void declare(command::Options& options) override {
    options.texts("LOG", paths_, "event logs", command::Options::Need::required);
    declare_out(options);
    options.text("--exclude", "NAME[,NAME...]", exclude_, "jobs to leave out");
    options.text("--name", "NAME", options_.name, "of the workload");
    options.choice("--inflation", inflation_, {"model", "none"}, kInflationDoc);
  }

 private:
  Workload build(command::ReadProgress& progress) override {
    if (!exclude_.empty()) options_.exclude = split_policies(exclude_);
    options_.inflation = inflation_of(inflation_);
    std::vector<SparkLogInput> logs;
    std::uint64_t bytes = 0;
    for (const std::string& path : paths_) {
      logs.push_back(spark_log_at(path));
      bytes += logs.back().bytes;
    }
    progress.expect(bytes);
    options_.advance = [&progress](std::uint64_t more) { progress.advance(more); };
    return import_spark(logs, options_, report_);
  }

  void write_report(JsonWriter& json) const override {
    json.key("report").begin_object().member("lines", report_.lines);
    json.member("jobs", report_.jobs).member("executions", report_.executions);
    json.member("excluded_executions", report_.excluded_executions);
    json.member("stages", report_.stages).member("samples", report_.samples);
    write_counts(json, "dropped", report_.dropped);
    write_counts(json, "remarks", report_.remarks);
    write_texts(json, "notes", report_.notes);
    json.end_object();
  }

  std::string report_text() const override {
    std::string text = plural(paths_.size(), "log") + ", " + plural(report_.lines, "line") + ", " +
                       plural(report_.executions, "execution");
    if (report_.excluded_executions > 0)
      text += ", " + std::to_string(report_.excluded_executions) + " excluded";
    text += '\n';
    for (const std::string& note : report_.notes) text += "note: " + note + '\n';
    for (const SparkCount& one : report_.remarks) text += count_line("note: ", one);
    for (const SparkCount& one : report_.dropped) text += count_line("left out: ", one);
    return text;
  }

  static void write_texts(JsonWriter& json, const char* key,
                          const std::vector<std::string>& texts) {
    json.key(key).begin_array();
    for (const std::string& text : texts) json.value(text);
    json.end_array();
  }

  static void write_counts(JsonWriter& json, const char* key,
                           const std::vector<SparkCount>& counts) {
    json.key(key).begin_array();
    for (const SparkCount& one : counts) {
      json.begin_object().member("what", one.what).member("why", one.why);
      json.member("count", one.count);
      write_texts(json, "examples", one.examples);
      json.end_object();
    }
    json.end_array();
  }

  static std::string count_line(const char* begin, const SparkCount& one) {
    std::string text = begin + plural(one.count, one.what) + ": " + one.why + " (";
    for (const std::string& example : one.examples)
      text += (text.ends_with('(') ? "" : ", ") + example;
    const bool all = one.examples.size() < SparkCount::kExamples;
    return text + (all || one.count == one.examples.size() ? "" : ", ...") + ")\n";
  }

  std::vector<std::string> paths_;
  std::string exclude_, inflation_ = "model";
  SparkImportOptions options_;
  SparkImportReport report_;
};

class ImportDecima final : public WriteWorkload {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "decima",
            .summary = "the TPC-H profiles published with Decima",
            .details =
                "FOLDER holds one folder per size with adj_mat_Q.npy and "
                "task_duration_Q.npy; jobs are named size:query, such as 2g:20.",
            .example = "tpch --out decima.park"};
  }

  void declare(command::Options& options) override {
    options.text("FOLDER", "", folder_, "the published folder", command::Options::Need::required);
    declare_out(options);
    options.choice("--inflation", inflation_, {"model", "none"}, kInflationDoc);
  }

 private:
  Workload build(command::ReadProgress&) override {
    return import_decima(folder_, inflation_of(inflation_), report_);
  }

  void write_report(JsonWriter& json) const override {
    json.key("report").begin_object().member("jobs", report_.jobs);
    json.member("stages", report_.stages).member("raw_samples", report_.raw_samples);
    json.member("removed_samples", report_.removed_samples);
    json.member("filled_samples", report_.filled_samples).end_object();
  }

  std::string report_text() const override {
    return std::to_string(report_.raw_samples) + " samples published, " +
           std::to_string(report_.removed_samples) + " of first waves removed, " +
           std::to_string(report_.filled_samples) + " filled in\n";
  }

  std::string folder_, inflation_ = "model";
  DecimaImportReport report_;
};

class Merge final : public WriteWorkload {
 public:
  command::ActionInfo info() const override {
    return {.name = "merge",
            .summary = "one workload of several; jobs of the same name become one",
            .details = "",
            .example = "a.park b.park --name both --out both.park"};
  }

  void declare(command::Options& options) override {
    options.texts("FILE", files_, "workloads", command::Options::Need::required);
    declare_out(options);
    options.text("--name", "NAME", name_, "of the workload; without it the first one's");
    options.choice("--inflation", inflation_, {"inputs", "model", "none"}, kInflationDoc);
  }

 private:
  Workload build(command::ReadProgress&) override {
    std::vector<std::shared_ptr<const Workload>> loaded;
    std::vector<const Workload*> inputs;
    for (const std::string& file : files_) {
      loaded.push_back(Workload::open(file));
      inputs.push_back(loaded.back().get());
    }
    MergeOptions options{.name = name_, .inflation = std::nullopt};
    if (inflation_ != "inputs") options.inflation = inflation_of(inflation_);
    return merge_workloads(inputs, options);
  }

  std::vector<std::string> files_;
  std::string name_, inflation_ = "inputs";
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_spark() { return std::make_unique<ImportSpark>(); }
std::unique_ptr<command::DataAction> make_import_decima() {
  return std::make_unique<ImportDecima>();
}
std::unique_ptr<command::DataAction> make_merge() { return std::make_unique<Merge>(); }

}  // namespace park::dag_scheduling::workload
