// Turns one line of an event log into one call of a handler. The name of the event comes first and
// selects a function from kKinds; that function goes over the object's fields once and builds a
// struct of spark_events.h. Unknown events and fields are skipped, wrong ones throw with their
// name. The importer and the timeline call read_spark_event per line.
#include "park/envs/dag_scheduling/workload/spark_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "park/files/json_cursor.h"

namespace park::dag_scheduling::workload {
namespace {

using files::JsonCursor;
using files::JsonError;

constexpr std::int32_t kMaxCpus = 65535;

/// Field by field over an object; what `on_key` does not take is skipped.
template <class OnKey>
void each_field(JsonCursor& json, OnKey&& on_key) {
  std::string_view key;
  json.enter_object();
  while (json.next_key(key)) {
    if (!on_key(key)) json.skip();
  }
}

/// The same for a value that may be null or of another type, which is skipped.
template <class OnKey>
void each_field_if_any(JsonCursor& json, OnKey&& on_key) {
  if (!json.is('{')) return json.skip();
  each_field(json, on_key);
}

/// The field `name` of an object, if it is a string.
void read_text(JsonCursor& json, std::string_view name, std::string& into) {
  each_field_if_any(json, [&](std::string_view key) {
    if (key != name || !json.is('"')) return false;
    json.text(into);
    return true;
  });
}

std::int64_t bounded(JsonCursor& json, std::int64_t low, std::int64_t high, const char* what) {
  const std::int64_t value = json.integer();
  if (value < low || value > high) throw JsonError(std::string(what) + " is out of range");
  return value;
}

std::int64_t time_of(JsonCursor& json) { return bounded(json, 0, std::int64_t{1} << 53, "a time"); }

std::int32_t whole_cpus(double cpus) {
  return cpus > 1 ? static_cast<std::int32_t>(std::min<double>(cpus, kMaxCpus)) : 1;
}

/// A setting such as "2" or "0.5"; 0 for a text that is no number.
std::int32_t cpus_of(const std::string& text) {
  double cpus = 0;
  std::from_chars(text.data(), text.data() + text.size(), cpus);
  return cpus > 0 ? whole_cpus(cpus) : 0;
}

// The events. Each reads its object to the end.

void read_version(JsonCursor& json, SparkEventHandler& handler) {
  std::string version;
  read_text(json, "Spark Version", version);
  json.finish();
  handler.version(version);
}

void read_application(JsonCursor& json, SparkEventHandler& handler) {
  SparkApplication application;
  each_field(json, [&](std::string_view key) {
    if (key == "Timestamp") {
      application.time_ms = time_of(json);
      return true;
    }
    if (!json.is('"')) return false;
    if (key == "App ID") {
      json.text(application.id);
    } else if (key == "App Attempt ID") {
      json.text(application.attempt);
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  handler.application(application);
}

void read_environment(JsonCursor& json, SparkEventHandler& handler) {
  std::string text;
  each_field(json, [&](std::string_view key) {
    if (key != "Spark Properties") return false;
    read_text(json, "spark.task.cpus", text);
    return true;
  });
  json.finish();
  if (const std::int32_t cpus = cpus_of(text); cpus > 0) handler.task_cpus({0, cpus});
}

void read_resource_profile(JsonCursor& json, SparkEventHandler& handler) {
  SparkTaskCpus event;
  each_field(json, [&](std::string_view key) {
    if (key == "Resource Profile Id") {
      event.profile = json.integer();
      return true;
    }
    if (key != "Task Resource Requests") return false;
    each_field_if_any(json, [&](std::string_view resource) {
      if (resource != "cpus") return false;
      each_field_if_any(json, [&](std::string_view field) {
        if (field != "Amount") return false;
        event.cpus = whole_cpus(json.number());
        return true;
      });
      return true;
    });
    return true;
  });
  json.finish();
  handler.task_cpus(event);
}

void read_executor_added(JsonCursor& json, SparkEventHandler& handler) {
  SparkExecutorAdded event;
  each_field(json, [&](std::string_view key) {
    if (key == "Timestamp") {
      event.time_ms = time_of(json);
    } else if (key == "Executor ID") {
      json.text(event.id);
    } else if (key == "Executor Info") {
      each_field(json, [&](std::string_view inner) {
        if (inner == "Total Cores") {
          event.cores = static_cast<std::int32_t>(bounded(json, 1, kMaxCpus, "Total Cores"));
        } else if (inner == "Resource Profile Id") {
          event.profile = json.integer();
        } else {
          return false;
        }
        return true;
      });
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  handler.executor_added(event);
}

void read_executor_removed(JsonCursor& json, SparkEventHandler& handler) {
  SparkExecutorRemoved event;
  each_field(json, [&](std::string_view key) {
    if (key == "Timestamp") {
      event.time_ms = time_of(json);
    } else if (key == "Executor ID") {
      json.text(event.id);
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  handler.executor_removed(event);
}

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

SparkStageInfo stage_info(JsonCursor& json) {
  SparkStageInfo info;
  std::optional<std::int64_t> id, rdd;
  each_field(json, [&](std::string_view key) {
    if (key == "Stage ID") {
      id = bounded(json, 0, std::int64_t{1} << 53, "Stage ID");
    } else if (key == "Number of Tasks") {
      info.tasks = json.integer();
    } else if (key == "RDD Info") {
      rdd = first_rdd(json);
    } else if (key == "Parent IDs") {
      json.enter_array();
      while (json.next_element()) info.parents.push_back(json.integer());
    } else if (key == "Resource Profile Id") {
      info.profile = json.integer();
    } else {
      return false;
    }
    return true;
  });
  if (!id) throw JsonError("a stage has no Stage ID");
  info.id = *id;
  info.rdd = rdd.value_or(-1 - *id);  // a stage without RDD is its own twin only
  return info;
}

/// A tag of Spark Connect: SparkConnect_..._User_U_Session_S, then a mark and what it tells.
struct ConnectTag {
  std::string_view session, value;
};

std::optional<ConnectTag> connect_tag(std::string_view tag, std::string_view mark) {
  constexpr std::string_view kSession = "_Session_";
  const std::size_t begin = tag.find(kSession);
  if (begin == std::string_view::npos) return std::nullopt;
  tag.remove_prefix(begin + kSession.size());
  const std::size_t end = tag.find(mark, 1);
  if (end == std::string_view::npos || end + mark.size() == tag.size()) return std::nullopt;
  return ConnectTag{tag.substr(0, end), tag.substr(end + mark.size())};
}

/// A request of Spark Connect is one job; two of one tag are executions of the same one. The names
/// are those of the plug-in (Names of DagTracker.scala), so that it finds their durations.
void name_request(std::string_view tags, SparkJobStart& job) {
  std::optional<ConnectTag> request, user;
  while (!tags.empty()) {
    const std::size_t end = std::min(tags.find(','), tags.size());
    const std::string_view tag = tags.substr(0, end);
    tags.remove_prefix(std::min(end + 1, tags.size()));
    if (!request && tag.starts_with("SparkConnect_OperationTag_User_"))
      request = connect_tag(tag, "_Operation_");
    if (!user) user = connect_tag(tag, "_Tag_");
  }
  if (!request) return;
  if (user) {
    job.park_job = user->value;
    job.park_run = request->value;
  } else {
    job.park_job =
        "session " + std::string(request->session) + " operation " + std::string(request->value);
    job.park_run.clear();
  }
}

void read_properties(JsonCursor& json, SparkJobStart& job) {
  std::string sql, cpus, setup, tags;
  each_field_if_any(json, [&](std::string_view key) {
    std::string* target = key == "park.job"                      ? &job.park_job
                          : key == "park.run"                    ? &job.park_run
                          : key == "park.setup"                  ? &setup
                          : key == "spark.job.tags"              ? &tags
                          : key == "spark.sql.execution.root.id" ? &job.sql_root
                          : key == "spark.sql.execution.id"      ? &sql
                          : key == "spark.jobGroup.id"           ? &job.group
                          : key == "spark.task.cpus"             ? &cpus
                                                                 : nullptr;
    if (target == nullptr || !json.is('"')) return false;
    json.text(*target);
    return true;
  });
  if (job.park_job.empty()) name_request(tags, job);
  if (job.sql_root.empty()) job.sql_root = sql;
  job.park_setup = setup == "true";
  job.task_cpus = cpus_of(cpus);
}

void read_job_start(JsonCursor& json, SparkEventHandler& handler) {
  SparkJobStart event;
  std::optional<std::int64_t> id;
  each_field(json, [&](std::string_view key) {
    if (key == "Job ID") {
      id = json.integer();
    } else if (key == "Submission Time") {
      event.time_ms = time_of(json);
    } else if (key == "Stage Infos") {
      json.enter_array();
      while (json.next_element()) event.stages.push_back(stage_info(json));
    } else if (key == "Properties") {
      read_properties(json, event);
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  if (!id) throw JsonError("a job has no Job ID");
  event.id = *id;
  handler.job_start(event);
}

void read_job_end(JsonCursor& json, SparkEventHandler& handler) {
  SparkJobEnd event;
  std::optional<std::int64_t> id;
  std::string result, message;
  each_field(json, [&](std::string_view key) {
    if (key == "Job ID") {
      id = json.integer();
    } else if (key == "Completion Time") {
      event.time_ms = time_of(json);
    } else if (key == "Job Result") {
      each_field(json, [&](std::string_view inner) {
        if (inner == "Exception") {
          read_text(json, "Message", message);
        } else if (inner == "Result") {
          json.text(result);
        } else {
          return false;
        }
        return true;
      });
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  if (!id) throw JsonError("a job has no Job ID");
  event.id = *id;
  using enum SparkJobEnd::Result;
  // Spark's text is "Job 3 cancelled ...", since 4.0 behind an error class in brackets.
  event.result = result == "JobSucceeded"                          ? succeeded
                 : message.find(" cancelled") != std::string::npos ? cancelled
                                                                   : failed;
  handler.job_end(event);
}

/// What Task Info adds to a task. The partition is told since Spark 3.3; before, the index within
/// the attempt of the stage stands for it.
struct TaskInfo {
  std::optional<std::int64_t> id;
  std::int64_t index = 0, partition = -1;
  bool failed = false, killed = false;
};

void read_task_info(JsonCursor& json, SparkTask& task, TaskInfo& info) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  each_field(json, [&](std::string_view key) {
    if (key == "Task ID") {
      info.id = json.integer();
    } else if (key == "Index") {
      info.index = bounded(json, 0, kMax, "Index");
    } else if (key == "Partition ID") {
      info.partition = bounded(json, -1, kMax, "Partition ID");
    } else if (key == "Launch Time") {
      task.launch_ms = time_of(json);
    } else if (key == "Finish Time") {
      task.finish_ms = time_of(json);
    } else if (key == "Executor ID") {
      json.text(task.executor);
    } else if (key == "Speculative") {
      task.speculative = json.boolean();
    } else if (key == "Failed") {
      info.failed = json.boolean();
    } else if (key == "Killed") {
      info.killed = json.boolean();
    } else {
      return false;
    }
    return true;
  });
}

void read_task_metrics(JsonCursor& json, SparkTask& task) {
  each_field_if_any(json, [&](std::string_view key) {  // null for some failures
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

SparkTask::Fate fate_of(const std::string& reason, const TaskInfo& info) {
  using enum SparkTask::Fate;
  if (reason == "Resubmitted") return resubmitted;
  if (reason == "TaskKilled" || info.killed) return killed;
  return reason == "Success" && !info.failed ? good : failed;
}

SparkTask read_task(JsonCursor& json, bool end) {
  SparkTask task;
  TaskInfo info;
  std::optional<std::int64_t> stage;
  each_field(json, [&](std::string_view key) {
    if (key == "Stage ID") {
      stage = json.integer();
    } else if (key == "Task End Reason") {
      read_text(json, "Reason", task.reason);
    } else if (key == "Task Info") {
      read_task_info(json, task, info);
    } else if (key == "Task Metrics") {
      read_task_metrics(json, task);
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  if (!stage || !info.id) throw JsonError("a task has no Stage ID or no Task ID");
  task.stage = *stage;
  task.id = *info.id;
  task.partition = static_cast<std::uint32_t>(info.partition >= 0 ? info.partition : info.index);
  if (end) task.fate = fate_of(task.reason, info);
  return task;
}

void read_task_start(JsonCursor& json, SparkEventHandler& handler) {
  handler.task_start(read_task(json, false));
}
void read_task_end(JsonCursor& json, SparkEventHandler& handler) {
  handler.task_end(read_task(json, true));
}

SparkSqlExecution read_sql_execution(JsonCursor& json) {
  SparkSqlExecution event;
  std::optional<std::int64_t> id, root;
  each_field(json, [&](std::string_view key) {
    if (key == "executionId") {
      id = json.integer();
    } else if (key == "rootExecutionId" && !json.is('n')) {  // null in logs before 3.4
      root = json.integer();
    } else if (key == "time") {
      event.time_ms = time_of(json);
    } else if (key == "errorMessage" && json.is('"')) {
      using enum SparkSqlExecution::Result;
      event.result = json.plain_text().empty() ? succeeded : failed;
    } else {
      return false;
    }
    return true;
  });
  json.finish();
  if (!id) throw JsonError("a SQL execution has no executionId");
  event.id = std::to_string(*id);
  event.root = std::to_string(root.value_or(*id));
  return event;
}

void read_sql_start(JsonCursor& json, SparkEventHandler& handler) {
  handler.sql_start(read_sql_execution(json));
}
void read_sql_end(JsonCursor& json, SparkEventHandler& handler) {
  handler.sql_end(read_sql_execution(json));
}

struct Kind {
  std::string_view name;
  void (*read)(JsonCursor&, SparkEventHandler&);
};
constexpr std::array<Kind, 12> kKinds = {{
    {"SparkListenerTaskEnd", read_task_end},
    {"SparkListenerTaskStart", read_task_start},
    {"SparkListenerJobStart", read_job_start},
    {"SparkListenerJobEnd", read_job_end},
    {"SparkListenerExecutorAdded", read_executor_added},
    {"SparkListenerExecutorRemoved", read_executor_removed},
    {"SparkListenerApplicationStart", read_application},
    {"SparkListenerLogStart", read_version},
    {"SparkListenerEnvironmentUpdate", read_environment},
    {"SparkListenerResourceProfileAdded", read_resource_profile},
    {"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", read_sql_start},
    {"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd", read_sql_end},
}};

/// The value of "Event", which Spark writes first.
std::string_view event_name(std::string_view line) {
  JsonCursor json(line);
  std::string_view key;
  json.enter_object();
  while (json.next_key(key)) {
    if (key == "Event") return json.plain_text();
    json.skip();
  }
  throw JsonError("an object without the field Event");
}

}  // namespace

void read_spark_event(std::string_view line, SparkEventHandler& handler) {
  const std::string_view name = event_name(line);
  const auto kind = std::ranges::find_if(kKinds, [&](const Kind& one) { return one.name == name; });
  if (kind != kKinds.end()) {
    JsonCursor json(line);
    kind->read(json, handler);
  } else if (!line.ends_with('}')) {
    throw JsonError("the text ends too early");
  }
}

}  // namespace park::dag_scheduling::workload
