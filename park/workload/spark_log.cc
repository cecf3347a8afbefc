#include "park/workload/spark_log.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "park/core/error.h"
#include "park/workload/json_cursor.h"

namespace park::workload {
namespace {

/// Field by field over an object; what `on_key` does not take is skipped.
template <class OnKey>
void each_field(JsonCursor& json, OnKey&& on_key) {
  std::string_view key;
  json.enter_object();
  while (json.next_key(key)) {
    if (!on_key(key)) json.skip();
  }
}

std::int64_t bounded(JsonCursor& json, std::int64_t low, std::int64_t high, const char* what) {
  const std::int64_t value = json.integer();
  if (value < low || value > high) throw JsonError(std::string(what) + " is out of range");
  return value;
}

std::int64_t time_of(JsonCursor& json) { return bounded(json, 0, std::int64_t{1} << 53, "a time"); }

struct StageInfo {
  std::optional<std::int64_t> id, rdd;
  std::int64_t tasks = 0;
  std::vector<std::int64_t> parents;
};

std::optional<std::int64_t> first_rdd(JsonCursor& json) {
  std::optional<std::int64_t> first;
  json.enter_array();
  while (json.next_element()) {
    if (first) {
      json.skip();
      continue;
    }
    each_field(json, [&](std::string_view key) {
      if (key != "RDD ID") return false;
      first = json.integer();
      return true;
    });
  }
  return first;
}

StageInfo stage_info(JsonCursor& json) {
  StageInfo info;
  each_field(json, [&](std::string_view key) {
    if (key == "Stage ID") {
      info.id = json.integer();
    } else if (key == "Number of Tasks") {
      info.tasks = json.integer();
    } else if (key == "RDD Info") {
      info.rdd = first_rdd(json);
    } else if (key == "Parent IDs") {
      json.enter_array();
      while (json.next_element()) info.parents.push_back(json.integer());
    } else {
      return false;
    }
    return true;
  });
  if (!info.id) throw JsonError("a stage has no Stage ID");
  return info;
}

struct JobProperties {
  std::string park_job, park_run, root_execution, execution, group, task_cpus;
};

JobProperties job_properties(JsonCursor& json) {
  JobProperties found;
  if (!json.is('{')) {  // null for a job without any
    json.skip();
    return found;
  }
  each_field(json, [&](std::string_view key) {
    std::string* target = key == "park.job"                      ? &found.park_job
                          : key == "park.run"                    ? &found.park_run
                          : key == "spark.sql.execution.root.id" ? &found.root_execution
                          : key == "spark.sql.execution.id"      ? &found.execution
                          : key == "spark.jobGroup.id"           ? &found.group
                          : key == "spark.task.cpus"             ? &found.task_cpus
                                                                 : nullptr;
    if (target == nullptr || !json.is('"')) return false;
    json.text(*target);
    return true;
  });
  return found;
}

/// A task as its start or its end tells it.
struct TaskEvent {
  std::optional<std::int64_t> stage, id;
  std::string executor;
  std::int64_t index = 0, launch_ms = 0, finish_ms = 0, run_ms = 0, cpu_ns = 0;
  bool success = true, speculative = false;
};

void task_info(JsonCursor& json, TaskEvent& task) {
  each_field(json, [&](std::string_view key) {
    if (key == "Task ID") {
      task.id = json.integer();
    } else if (key == "Index") {
      task.index = bounded(json, 0, std::numeric_limits<std::int32_t>::max(), "Index");
    } else if (key == "Launch Time") {
      task.launch_ms = time_of(json);
    } else if (key == "Finish Time") {
      task.finish_ms = time_of(json);
    } else if (key == "Executor ID") {
      json.text(task.executor);
    } else if (key == "Speculative") {
      task.speculative = json.boolean();
    } else if (key == "Failed" || key == "Killed") {
      task.success = !json.boolean() && task.success;
    } else {
      return false;
    }
    return true;
  });
}

void task_metrics(JsonCursor& json, TaskEvent& task) {
  if (!json.is('{')) return json.skip();  // null for some failures
  each_field(json, [&](std::string_view key) {
    if (key == "Executor Run Time") {
      task.run_ms = bounded(json, 0, std::int64_t{1} << 40, "Executor Run Time");
    } else if (key == "Executor CPU Time") {
      task.cpu_ns = bounded(json, 0, std::int64_t{1} << 60, "Executor CPU Time");
    } else {
      return false;
    }
    return true;
  });
}

TaskEvent task_event(JsonCursor& json) {
  TaskEvent task;
  bool success = true;
  each_field(json, [&](std::string_view key) {
    if (key == "Stage ID") {
      task.stage = json.integer();
    } else if (key == "Task End Reason") {
      std::string reason;
      each_field(json, [&](std::string_view inner) {
        if (inner != "Reason") return false;
        json.text(reason);
        return true;
      });
      success = reason == "Success";
    } else if (key == "Task Info") {
      task_info(json, task);
    } else if (key == "Task Metrics") {
      task_metrics(json, task);
    } else {
      return false;
    }
    return true;
  });
  task.success = task.success && success;
  if (!task.stage || !task.id) throw JsonError("a task has no Stage ID or no Task ID");
  return task;
}

/// Turns events into a SparkLog. Every handler reads its event to the end before it changes
/// anything, so a line that breaks off leaves no trace.
class LogReader {
 public:
  explicit LogReader(SparkLog& log) : log_(log) {}

  void line(std::string_view text) {
    JsonCursor json(text);
    const std::string_view event = event_name(text);
    if (event == "SparkListenerTaskEnd") {
      task_end(json);
    } else if (event == "SparkListenerTaskStart") {
      task_start(json);
    } else if (event == "SparkListenerJobStart") {
      job_start(json);
    } else if (event == "SparkListenerJobEnd") {
      job_end(json);
    } else if (event == "SparkListenerExecutorAdded") {
      executor_added(json);
    } else if (event == "SparkListenerExecutorRemoved") {
      executor_removed(json);
    } else if (event == "SparkListenerApplicationStart") {
      read_text(json, "App ID", log_.application);
    } else if (event == "SparkListenerLogStart") {
      read_text(json, "Spark Version", log_.spark_version);
    } else if (!text.ends_with('}')) {
      throw JsonError("the text ends too early");
    }
  }

  /// Tasks that started and never ended in the log.
  void finish() {
    for (auto& [id, task] : started_) log_.tasks.push_back(task);
  }

 private:
  /// The value of "Event", which Spark writes first.
  static std::string_view event_name(std::string_view text) {
    JsonCursor json(text);
    std::string_view key;
    json.enter_object();
    while (json.next_key(key)) {
      if (key == "Event") return json.plain_text();
      json.skip();
    }
    throw JsonError("an object without the field Event");
  }

  static void read_text(JsonCursor& json, std::string_view name, std::string& into) {
    std::string value;
    each_field(json, [&](std::string_view key) {
      if (key != name || !json.is('"')) return false;
      json.text(value);
      return true;
    });
    json.finish();
    into = value;
  }

  std::uint32_t executor(const std::string& id) {
    const auto [at, added] =
        executor_of_.try_emplace(id, static_cast<std::uint32_t>(log_.executors.size()));
    if (added) {
      log_.executors.emplace_back();
      log_.executors.back().id = id;
    }
    return at->second;
  }

  void executor_added(JsonCursor& json) {
    std::string id;
    std::int64_t time = 0, cores = 1;
    each_field(json, [&](std::string_view key) {
      if (key == "Timestamp") {
        time = time_of(json);
      } else if (key == "Executor ID") {
        json.text(id);
      } else if (key == "Executor Info") {
        each_field(json, [&](std::string_view inner) {
          if (inner != "Total Cores") return false;
          cores = bounded(json, 1, 65535, "Total Cores");
          return true;
        });
      } else {
        return false;
      }
      return true;
    });
    json.finish();
    SparkLog::Executor& one = log_.executors[executor(id)];
    one.cores = static_cast<std::int32_t>(cores);
    one.added_ms = time;
  }

  void executor_removed(JsonCursor& json) {
    std::string id;
    std::int64_t time = 0;
    each_field(json, [&](std::string_view key) {
      if (key == "Timestamp") {
        time = time_of(json);
      } else if (key == "Executor ID") {
        json.text(id);
      } else {
        return false;
      }
      return true;
    });
    json.finish();
    log_.executors[executor(id)].removed_ms = time;
  }

  void job_start(JsonCursor& json) {
    std::optional<std::int64_t> id;
    std::vector<StageInfo> stages;
    JobProperties properties;
    each_field(json, [&](std::string_view key) {
      if (key == "Job ID") {
        id = json.integer();
      } else if (key == "Stage Infos") {
        json.enter_array();
        while (json.next_element()) stages.push_back(stage_info(json));
      } else if (key == "Properties") {
        properties = job_properties(json);
      } else {
        return false;
      }
      return true;
    });
    json.finish();
    if (!id) throw JsonError("a job has no Job ID");
    std::int32_t cpus = 1;  // Spark 4 allows fractions of one: then a core runs one task
    const std::string& text = properties.task_cpus;
    std::from_chars(text.data(), text.data() + text.size(), cpus);
    if (cpus > 1) log_.task_cpus = cpus;
    const std::uint32_t execution = execution_of(*id, properties);
    log_.executions[execution].spark_jobs += 1;
    job_execution_[*id] = execution;
    for (StageInfo& stage : stages) add_stage(stage, execution);
    ++spark_jobs_;
  }

  std::uint32_t execution_of(std::int64_t id, const JobProperties& properties) {
    const std::string prefix = log_.application.empty() ? "" : log_.application + "/";
    const std::string& sql =
        properties.root_execution.empty() ? properties.execution : properties.root_execution;
    std::string job = !properties.park_job.empty() ? properties.park_job
                      : !sql.empty()               ? prefix + "sql:" + sql
                      : !properties.group.empty()  ? prefix + "group:" + properties.group
                                                   : prefix + "job:" + std::to_string(id);
    std::string run = properties.park_job.empty() ? "" : properties.park_run;
    const std::string key = job + '\n' + run;
    const auto [at, added] =
        execution_at_.try_emplace(key, static_cast<std::uint32_t>(log_.executions.size()));
    if (added) {
      log_.executions.emplace_back();
      log_.executions.back().job = std::move(job);
      log_.executions.back().run = std::move(run);
    }
    return at->second;
  }

  void add_stage(StageInfo& info, std::uint32_t execution) {
    const auto [at, added] =
        stage_at_.try_emplace(*info.id, static_cast<std::uint32_t>(log_.stages.size()));
    if (!added) return;  // shared with a job that is still running
    log_.executions[execution].stages.push_back(at->second);
    // A stage without RDD is its own twin only.
    log_.stages.push_back({*info.id, info.rdd.value_or(-1 - *info.id), info.tasks, execution,
                           spark_jobs_, std::move(info.parents)});
  }

  void job_end(JsonCursor& json) {
    std::optional<std::int64_t> id;
    std::string result;
    each_field(json, [&](std::string_view key) {
      if (key == "Job ID") {
        id = json.integer();
      } else if (key == "Job Result") {
        each_field(json, [&](std::string_view inner) {
          if (inner != "Result") return false;
          json.text(result);
          return true;
        });
      } else {
        return false;
      }
      return true;
    });
    json.finish();
    if (!id) throw JsonError("a job has no Job ID");
    const auto at = job_execution_.find(*id);
    if (at == job_execution_.end()) return;
    SparkLog::Execution& execution = log_.executions[at->second];
    (result == "JobSucceeded" ? execution.succeeded : execution.failed) += 1;
    job_execution_.erase(at);
  }

  /// The task's record without its fate, or nothing for a stage that no job has named.
  std::optional<SparkLog::Task> record(const TaskEvent& event) {
    const auto stage = stage_at_.find(*event.stage);
    if (stage == stage_at_.end()) return std::nullopt;
    SparkLog::Task task;
    task.id = *event.id;
    task.launch_ms = event.launch_ms;
    task.stage = stage->second;
    task.executor = executor(event.executor);
    task.index = static_cast<std::uint32_t>(event.index);
    return task;
  }

  void task_start(JsonCursor& json) {
    const TaskEvent event = task_event(json);
    json.finish();
    if (const auto task = record(event)) started_[task->id] = *task;
  }

  void task_end(JsonCursor& json) {
    const TaskEvent event = task_event(json);
    json.finish();
    started_.erase(*event.id);
    std::optional<SparkLog::Task> task = record(event);
    if (!task) {
      ++log_.tasks_of_unknown_stages;
      return;
    }
    task->finish_ms = event.finish_ms;
    task->run_ms = event.run_ms;
    task->cpu_ns = event.cpu_ns;
    task->fate = event.speculative ? SparkLog::Fate::speculative
                 : event.success   ? SparkLog::Fate::good
                                   : SparkLog::Fate::failed;
    log_.tasks.push_back(*task);
  }

  SparkLog& log_;
  std::uint32_t spark_jobs_ = 0;
  std::unordered_map<std::string, std::uint32_t> executor_of_, execution_at_;
  std::unordered_map<std::int64_t, std::uint32_t> stage_at_, job_execution_;
  std::unordered_map<std::int64_t, SparkLog::Task> started_;
};

}  // namespace

SparkLog read_spark_log(std::unique_ptr<ByteSource> source, const std::string& name) {
  SparkLog log;
  log.name = name;
  LogReader reader(log);
  const std::unique_ptr<ByteSource> text = plain_text(std::move(source), name);
  LineReader lines(*text, name);
  std::string_view line;
  std::uint64_t events = 0;
  while (lines.next(line)) {
    if (line.empty()) continue;
    try {
      reader.line(line);
      ++events;
    } catch (const JsonError& error) {
      if (!lines.ended() && events > 0) {
        log.cut_short = true;
        break;
      }
      throw Error(Errc::bad_file,
                  name + ": line " + std::to_string(lines.number()) + ": " + error.what());
    }
  }
  if (events == 0) throw Error(Errc::bad_file, name + ": an empty log");
  log.cut_short = log.cut_short || text->cut_short();
  log.lines = lines.number();
  reader.finish();
  return log;
}

}  // namespace park::workload
