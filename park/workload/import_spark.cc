#include "park/workload/import_spark.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/workload/merge.h"
#include "park/workload/spark_log.h"
#include "park/workload/spark_waves.h"

namespace park::workload {
namespace {

using envs::JobProfile;
using envs::StageProfile;

std::string counted(std::uint64_t count, const std::string& singular) {
  return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string title(const SparkLog::Execution& execution) {
  return "job " + execution.job + (execution.run.empty() ? "" : " run " + execution.run);
}

/// What the tasks of one stage gave.
struct Measured {
  std::map<std::pair<envs::Wave, std::uint16_t>, std::vector<std::uint32_t>> cells;
  std::unordered_set<std::uint32_t> indices;  ///< of the tasks that succeeded
  std::int64_t run_ms = 0, cpu_ns = 0;
};

/// Makes profiles of the executions of one log.
class LogImport {
 public:
  LogImport(SparkLog& log, const std::set<std::string>& excluded, SparkImportReport& report)
      : log_(log), report_(report), measured_(log.stages.size()) {
    for (const SparkLog::Execution& execution : log.executions) {
      wanted_.push_back(!excluded.contains(execution.job));
    }
    measure();
    note_dropped();
  }

  /// The profile of an execution, or nothing when it is excluded or left out.
  std::optional<JobProfile> profile(std::uint32_t index) {
    const SparkLog::Execution& execution = log_.executions[index];
    if (!wanted_[index]) {
      ++report_.excluded_executions;
      return std::nullopt;
    }
    if (!execution.finished()) {
      note(title(execution) + ": left out, " +
           (execution.failed > 0 ? "it failed" : "its end is not in the log"));
      return std::nullopt;
    }
    const std::vector<std::uint32_t> ran = stages_that_ran(execution);
    if (ran.empty()) {
      note(title(execution) + ": left out, it ran no task");
      return std::nullopt;
    }
    return assemble(execution, ran);
  }

 private:
  void note(const std::string& text) { report_.notes.push_back(log_.name + ": " + text); }

  void measure() {
    const std::vector<Launch> launched = launches(log_);
    for (std::size_t t = 0; t < launched.size(); ++t) {
      const SparkLog::Task& task = log_.tasks[t];
      if (!wanted_[log_.stages[task.stage].execution]) continue;
      if (task.fate != SparkLog::Fate::good) {
        ++dropped_[static_cast<std::size_t>(task.fate)];
        continue;
      }
      std::int64_t duration_ms = task.finish_ms - task.launch_ms;
      if (duration_ms < 0 || duration_ms > std::numeric_limits<std::uint32_t>::max()) {
        ++odd_;
        continue;
      }
      if (duration_ms == 0) ++raised_;
      Measured& stage = measured_[task.stage];
      stage.cells[{launched[t].wave, launched[t].executors}].push_back(
          static_cast<std::uint32_t>(std::max<std::int64_t>(1, duration_ms)));
      stage.indices.insert(task.index);
      stage.run_ms += task.run_ms;
      stage.cpu_ns += task.cpu_ns;
    }
  }

  void note_dropped() {
    const auto count = [&](SparkLog::Fate fate) {
      return dropped_[static_cast<std::size_t>(fate)];
    };
    const auto drop = [&](std::uint64_t number, const std::string& why) {
      if (number > 0) note(counted(number, "task") + " dropped: " + why);
    };
    drop(count(SparkLog::Fate::failed), "failed or killed");
    drop(count(SparkLog::Fate::speculative), "speculative copies");
    drop(count(SparkLog::Fate::unfinished), "the end is not in the log");
    drop(odd_, "finished before the launch or 49 days behind it");
    drop(log_.tasks_of_unknown_stages, "no job in the log names the stage");
    if (raised_ > 0) note(counted(raised_, "task") + " of less than 1 ms counted as 1 ms");
    if (log_.cut_short) note("the log breaks off in line " + std::to_string(log_.lines));
  }

  [[nodiscard]] bool has_run(std::uint32_t stage) const { return !measured_[stage].cells.empty(); }

  /// In the order that the profile will have.
  std::vector<std::uint32_t> stages_that_ran(const SparkLog::Execution& execution) const {
    std::vector<std::uint32_t> ran;
    for (const std::uint32_t stage : execution.stages) {
      if (has_run(stage)) ran.push_back(stage);
    }
    std::sort(ran.begin(), ran.end(), [&](std::uint32_t a, std::uint32_t b) {
      const SparkLog::Stage &x = log_.stages[a], &y = log_.stages[b];
      return std::tuple(x.spark_job, x.rdd, x.id) < std::tuple(y.spark_job, y.rdd, y.id);
    });
    return ran;
  }

  /// For every stage id of the execution the position, in the profile, of what it stands for:
  /// itself where it ran, else the last stage before it with the same RDD that ran.
  std::unordered_map<std::int64_t, std::uint16_t> places(
      const SparkLog::Execution& execution, const std::vector<std::uint32_t>& ran) const {
    std::unordered_map<std::int64_t, std::uint16_t> place;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint16_t> of_rdd;  // by rdd and id
    for (std::size_t position = 0; position < ran.size(); ++position) {
      const SparkLog::Stage& stage = log_.stages[ran[position]];
      place[stage.id] = static_cast<std::uint16_t>(position);
      of_rdd[{stage.rdd, stage.id}] = static_cast<std::uint16_t>(position);
    }
    for (const std::uint32_t index : execution.stages) {
      const SparkLog::Stage& stage = log_.stages[index];
      if (has_run(index)) continue;
      const auto after = of_rdd.lower_bound({stage.rdd, stage.id});
      if (after == of_rdd.begin()) continue;
      const auto twin = std::prev(after);
      if (twin->first.first == stage.rdd) place[stage.id] = twin->second;
    }
    return place;
  }

  std::optional<JobProfile> assemble(const SparkLog::Execution& execution,
                                     const std::vector<std::uint32_t>& ran) {
    if (ran.size() > envs::WorkloadLimits::kStagesPerJob) {
      note(title(execution) + ": left out, it has more than 10000 stages");
      return std::nullopt;
    }
    const auto place = places(execution, ran);
    JobProfile job{execution.job, {}};
    std::uint64_t without = 0, partial = 0;
    for (std::size_t position = 0; position < ran.size(); ++position) {
      const SparkLog::Stage& stage = log_.stages[ran[position]];
      StageProfile& profile = job.stages.emplace_back(stage_profile(measured_[ran[position]]));
      if (profile.tasks < stage.declared_tasks) ++partial;
      std::set<std::uint16_t> parents;
      for (const std::int64_t parent : stage.parents) {
        const auto at = place.find(parent);
        if (at == place.end()) {
          ++without;
        } else if (at->second != position) {
          parents.insert(at->second);
        }
      }
      profile.parents.assign(parents.begin(), parents.end());
    }
    const std::string name = title(execution);
    if (without > 0) note(name + ": " + counted(without, "edge") + " from a stage that never ran");
    if (partial > 0) note(name + ": " + counted(partial, "stage") + " ran only some of its tasks");
    return job;
  }

  StageProfile stage_profile(Measured& measured) const {
    StageProfile profile;
    profile.tasks = static_cast<std::int32_t>(measured.indices.size());
    profile.cpus = static_cast<float>(log_.task_cpus);
    profile.run_s = static_cast<double>(measured.run_ms) / 1e3;
    profile.cpu_s = static_cast<double>(measured.cpu_ns) / 1e9;
    for (auto& [situation, samples] : measured.cells) {
      profile.cells.push_back({situation.first, situation.second, std::move(samples)});
    }
    return profile;
  }

  SparkLog& log_;
  SparkImportReport& report_;
  std::vector<bool> wanted_;        ///< by execution
  std::vector<Measured> measured_;  ///< by stage
  std::uint64_t dropped_[4] = {}, odd_ = 0, raised_ = 0;
};

/// Puts the executions of the same name together.
class Collection {
 public:
  void add(JobProfile&& job, const std::string& where) {
    const auto [at, added] = index_.try_emplace(job.name, jobs_.size());
    if (added) {
      jobs_.push_back(std::move(job));
    } else if (const auto clause = append_samples(jobs_[at->second], job)) {
      violations_.add(where + ": its graph differs from an earlier run's: " + *clause);
    }
  }

  [[nodiscard]] const std::vector<JobProfile>& jobs() const {
    violations_.throw_if_any(Errc::bad_file);
    return jobs_;
  }

 private:
  std::vector<JobProfile> jobs_;
  std::unordered_map<std::string, std::size_t> index_;
  Violations violations_;
};

std::string provenance(const std::set<std::string>& versions) {
  std::string all;
  for (const std::string& version : versions) all += (all.empty() ? "" : ", ") + version;
  return "Measured: event logs of Apache Spark " + (all.empty() ? "of unknown version" : all) +
         ". Durations: launch to finish as the driver saw it.";
}

}  // namespace

envs::Workload import_spark(std::span<SparkLogInput> logs, const SparkImportOptions& options,
                            SparkImportReport& report) {
  const std::set<std::string> excluded(options.exclude.begin(), options.exclude.end());
  std::set<std::string> versions;
  Collection collection;
  for (SparkLogInput& input : logs) {
    SparkLog log = read_spark_log(std::move(input.source), input.name);
    report.lines += log.lines;
    if (!log.spark_version.empty()) versions.insert(log.spark_version);
    LogImport from(log, excluded, report);
    for (std::uint32_t e = 0; e < log.executions.size(); ++e) {
      std::optional<JobProfile> job = from.profile(e);
      if (!job) continue;
      ++report.executions;
      collection.add(std::move(*job), log.name + ": " + title(log.executions[e]));
    }
  }
  if (collection.jobs().empty()) {
    const std::string where = logs.empty() ? "import" : logs.front().name;
    throw Error(Errc::bad_file, where + (logs.size() > 1 ? " and the others" : "") +
                                    ": no finished job that is not excluded");
  }
  envs::WorkloadBuilder builder(options.name, provenance(versions), options.inflation);
  for (const JobProfile& job : collection.jobs()) builder.add_job(job);
  envs::Workload workload = builder.build();
  report.jobs = workload.jobs().size();
  report.stages = workload.stage_count();
  report.samples = workload.sample_count();
  return workload;
}

envs::Workload import_spark(const std::vector<std::string>& paths,
                            const SparkImportOptions& options, SparkImportReport& report) {
  std::vector<SparkLogInput> logs;
  logs.reserve(paths.size());
  for (const std::string& path : paths) logs.push_back({path, file_source(path)});
  return import_spark(logs, options, report);
}

}  // namespace park::workload
