// Makes a workload of event logs of Spark. Each log is unpacked and read line by line;
// read_spark_event passes the events to SparkJobs, which delivers finished logical jobs. Collection
// puts executions of the same name together, in the order of their beginnings, and gives them to
// the builder after the last log. `park workload import-spark` calls it.
#include "park/envs/dag_scheduling/workload/import_spark.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/merge.h"
#include "park/envs/dag_scheduling/workload/spark_jobs.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/files/json_cursor.h"
#include "park/files/lines.h"
#include "park/files/unpack.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::JobProfile;

/// Tells what passes through.
class WatchedSource final : public files::ByteSource {
 public:
  WatchedSource(std::unique_ptr<files::ByteSource> source,
                const std::function<void(std::uint64_t)>& advance)
      : source_(std::move(source)), advance_(advance) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t got = source_->read(into);
    if (advance_) advance_(got);
    return got;
  }

 private:
  std::unique_ptr<files::ByteSource> source_;
  const std::function<void(std::uint64_t)>& advance_;
};

/// Puts the executions of the same name together, in the order of their beginnings.
class Collection {
 public:
  /// `order`: of the execution, over all logs. Returns how its graph differs from that of an
  /// earlier execution; then nothing was added.
  std::optional<std::string> add(JobProfile&& job, std::uint64_t order) {
    const auto [at, added] = index_.try_emplace(job.name, jobs_.size());
    if (!added) return append_samples(jobs_[at->second].second, job);
    jobs_.emplace_back(order, std::move(job));
    return std::nullopt;
  }

  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }

  /// The jobs are handed over one by one, so that there are never two copies of all.
  void build(dag_scheduling::WorkloadBuilder& builder) {
    std::ranges::sort(jobs_, {}, [](const auto& one) { return one.first; });
    for (auto& [order, job] : jobs_) {
      builder.add_job(job);
      job = {};
    }
  }

 private:
  std::vector<std::pair<std::uint64_t, JobProfile>> jobs_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// Reads logs one after another.
class Importer {
 public:
  Importer(const SparkImportOptions& options, SparkImportReport& report)
      : options_(options),
        report_(report),
        excluded_(options.exclude.begin(), options.exclude.end()) {}

  void read(SparkLogInput& log, std::uint64_t number) {
    for (const std::string& note : log.notes) report_.notes.push_back(log.name + ": " + note);
    SparkJobs jobs({log.name, log.application, log.headless}, excluded_, report_,
                   [&](JobProfile&& job, std::uint32_t execution, const std::string& title) {
                     deliver(std::move(job), (number << 32) | execution, title);
                   });
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < log.files.size(); ++i) {
      if (log.files[i].after_gap) jobs.gap();
      const bool whole = read_file(log.files[i], jobs, events);
      if (!whole && i + 1 < log.files.size()) jobs.gap();
    }
    if (events == 0) throw Error(Errc::bad_file, log.name + ": an empty log");
    jobs.finish();
    if (!jobs.spark_version().empty()) versions_.insert(jobs.spark_version());
  }

  [[nodiscard]] dag_scheduling::Workload build(std::span<const SparkLogInput> logs) {
    if (collection_.empty()) {
      const std::string where = logs.empty() ? "import" : logs.front().name;
      throw Error(Errc::bad_file, where + (logs.size() > 1 ? " and the others" : "") +
                                      ": no finished job that is not excluded" + reasons());
    }
    dag_scheduling::WorkloadBuilder builder(options_.name, provenance(), options_.inflation);
    collection_.build(builder);
    return builder.build();
  }

 private:
  void deliver(JobProfile&& job, std::uint64_t order, const std::string& title) {
    if (const auto clause = collection_.add(std::move(job), order)) {
      report_.drop("execution", "its graph differs from that of an earlier one of the same name",
                   title + ": " + *clause);
    } else {
      ++report_.executions;
    }
  }

  /// False when the file breaks off.
  bool read_file(const SparkLogFile& file, SparkJobs& jobs, std::uint64_t& events) {
    auto raw = std::make_unique<WatchedSource>(file.open(), options_.advance);
    const std::unique_ptr<files::ByteSource> text = files::plain_text(std::move(raw), file.name);
    files::LineReader lines(*text, file.name);
    std::string_view line;
    bool whole = true;
    while (whole && lines.next(line)) {
      if (line.empty()) continue;
      try {
        read_spark_event(line, jobs);
        ++events;
      } catch (const files::JsonError& error) {
        whole = lines.ended() || events == 0;
        if (!whole) continue;
        throw Error(Errc::bad_file,
                    file.name + ": line " + std::to_string(lines.number()) + ": " + error.what());
      }
    }
    whole = whole && !text->cut_short();
    report_.lines += lines.number();
    if (!whole) {
      report_.notes.push_back(file.name + ": the log breaks off in line " +
                              std::to_string(lines.number()));
    }
    return whole;
  }

  /// What was left out, for the message that nothing is left.
  [[nodiscard]] std::string reasons() const {
    std::string text;
    for (const SparkCount& one : report_.dropped) {
      if (one.what != "job") continue;
      text +=
          (text.empty() ? "; left out: " : ", ") + std::to_string(one.count) + " (" + one.why + ")";
    }
    return text;
  }

  [[nodiscard]] std::string provenance() const {
    std::string all;
    for (const std::string& version : versions_) all += (all.empty() ? "" : ", ") + version;
    return "Measured: event logs of Apache Spark " + (all.empty() ? "of unknown version" : all) +
           ". Durations: launch to finish as the driver saw it.";
  }

  const SparkImportOptions& options_;
  SparkImportReport& report_;
  std::set<std::string> excluded_, versions_;
  Collection collection_;
};

}  // namespace

dag_scheduling::Workload import_spark(std::span<SparkLogInput> logs,
                                      const SparkImportOptions& options,
                                      SparkImportReport& report) {
  Importer importer(options, report);
  for (std::size_t i = 0; i < logs.size(); ++i) importer.read(logs[i], i);
  dag_scheduling::Workload workload = importer.build(logs);
  report.jobs = workload.jobs().size();
  report.stages = workload.stage_count();
  report.samples = workload.sample_count();
  return workload;
}

dag_scheduling::Workload import_spark(const std::vector<std::string>& paths,
                                      const SparkImportOptions& options,
                                      SparkImportReport& report) {
  std::vector<SparkLogInput> logs;
  logs.reserve(paths.size());
  for (const std::string& path : paths) logs.push_back(spark_log_at(path));
  return import_spark(logs, options, report);
}

}  // namespace park::dag_scheduling::workload
