// Logical jobs of one application, while its events are read. Spark jobs belong to executions of
// logical jobs; tasks in flight are Flights, launches wait in order of time in a bounded queue
// until their wave is known. A Spark job is reduced to samples when it ended and its launches were
// placed; an execution is assembled and delivered when nothing more may come. import_spark passes
// the events and calls finish at the end of the log.
#include "park/envs/dag_scheduling/workload/spark_jobs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>

#include "park/core/rng.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::JobProfile;
using dag_scheduling::StageProfile;

/// Launches that wait for what the log may still tell of earlier moments: events are written a
/// little out of order, and of the end of a task behind the start of the next one in its place.
constexpr std::size_t kHeldBack = 8192;
constexpr std::int64_t kAnyRdd = std::numeric_limits<std::int64_t>::min();

/// A text that people chose as a workload's name: control characters give way, and where it is too
/// long a checksum stands for its end.
std::string fitted(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
  constexpr std::size_t kDigits = 16;
  if (name.size() <= dag_scheduling::WorkloadLimits::kNameBytes) return name;
  std::array<char, kDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + kDigits, hash_text(name), 16).ptr;
  std::size_t size = dag_scheduling::WorkloadLimits::kNameBytes - kDigits - 1;
  while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xc0) == 0x80) --size;  // UTF-8
  return name.substr(0, size) + '~' + std::string(digits.data(), end);
}

}  // namespace

SparkJobs::SparkJobs(Log log, const std::set<std::string>& excluded, SparkImportReport& report,
                     Deliver deliver)
    : log_(std::move(log)), excluded_(excluded), report_(report), deliver_(std::move(deliver)) {}

std::string SparkJobs::title(const Execution& execution) const {
  return log_.name + ": job " + execution.job +
         (execution.run.empty() ? "" : " run " + execution.run);
}

void SparkJobs::application(const SparkApplication& event) {
  if (event.id.empty()) return;
  log_.application = event.id + (event.attempt.empty() ? "" : "_" + event.attempt);
}

// -------------------------------------------------------------------------------------------------
// Spark jobs, logical jobs and SQL queries

std::string SparkJobs::key_of(const SparkJobStart& event, std::string& job,
                              std::string& run) const {
  const std::string prefix = log_.application.empty() ? "" : log_.application + "/";
  job = !event.park_job.empty()   ? event.park_job
        : !event.sql_root.empty() ? prefix + "sql:" + event.sql_root
        : !event.group.empty()    ? prefix + "group:" + event.group
                                  : prefix + "job:" + std::to_string(event.id);
  job = fitted(std::move(job));
  run = event.park_job.empty() ? "" : event.park_run;
  return job + '\n' + run;
}

std::uint32_t SparkJobs::execution_of(const SparkJobStart& event) {
  std::string job, run;
  std::string key = key_of(event, job, run);
  const auto [at, added] = execution_at_.try_emplace(key, executions_made_);
  if (!added) return at->second;
  Execution& execution = executions_[executions_made_++];
  execution.wanted = !excluded_.contains(job);
  execution.closes = event.park_job.empty() && event.sql_root.empty() && event.group.empty();
  execution.job = std::move(job);
  execution.run = std::move(run);
  execution.key = std::move(key);
  return at->second;
}

/// A Spark job of a SQL query. Without the query's start, its first Spark jobs may be missing.
void SparkJobs::follow_query(const SparkJobStart& event, std::uint32_t index, SparkJob& job) {
  if (event.sql_root.empty()) return;
  Execution& execution = executions_.at(index);
  const auto at = queries_.find(event.sql_root);
  if (at == queries_.end()) {
    beheaded_[event.sql_root] = index;
    execution.headless = execution.headless || log_.headless;
    return;
  }
  Query& query = at->second;
  ++query.running;
  job.sql_root = event.sql_root;
  if (query.execution == kNoExecution) {
    query.execution = index;
    if (!query.ended) ++execution.open_queries;
    execution.closes = execution.closes || event.park_job.empty();
  }
}

void SparkJobs::job_start(SparkJobStart& event) {
  if (jobs_.contains(event.id)) return;  // Spark never uses an id again
  if (event.task_cpus > 0) replay_.task_cpus({0, event.task_cpus});
  const std::uint32_t index = execution_of(event);
  SparkJob& job = jobs_[event.id];
  job.number = spark_jobs_++;
  job.execution = index;
  ++executions_.at(index).running;
  follow_query(event, index, job);
  for (SparkStageInfo& info : event.stages) {
    job.listed.emplace_back(info.id, info.rdd);
    last_stage_ = std::max(last_stage_, info.id);
    const auto [at, added] = stages_.try_emplace(info.id);
    if (!added) continue;  // shared with a job that is still running
    at->second.rdd = info.rdd;
    at->second.declared_tasks = info.tasks;
    at->second.profile = info.profile;
    at->second.job = event.id;
    at->second.execution = index;
    at->second.parents = std::move(info.parents);
    job.stages.push_back(info.id);
  }
  std::ranges::sort(job.listed);
}

void SparkJobs::job_end(const SparkJobEnd& event) {
  const auto at = jobs_.find(event.id);
  if (at == jobs_.end() || at->second.ended) return;
  SparkJob& job = at->second;
  job.ended = true;
  job.end = event;
  now_ = std::max(now_, event.time_ms);
  Execution& execution = executions_.at(job.execution);
  if (event.result == SparkJobEnd::Result::failed) ++execution.failed;
  if (event.result == SparkJobEnd::Result::cancelled) ++execution.cancelled;
  judge_query(job);
  if (job.unplaced == 0) reduce(event.id);
}

/// A query that succeeds may have cancelled Spark jobs that it did not need after all.
void SparkJobs::judge_query(SparkJob& job) {
  const auto at = queries_.find(job.sql_root);
  if (at == queries_.end()) return;
  Query& query = at->second;
  --query.running;
  if (job.end.result != SparkJobEnd::Result::succeeded) {
    ++query.failed;
    if (query.ended && query.succeeded) forgive(query.execution, 1);
  }
  if (query.ended && query.running == 0) queries_.erase(at);
}

void SparkJobs::forgive(std::uint32_t index, std::uint32_t spark_jobs) {
  const auto at = executions_.find(index);
  if (at == executions_.end() || spark_jobs == 0) return;
  at->second.forgiven += spark_jobs;
  if (!at->second.wanted) return;
  report_.remark("Spark job",
                 "failed or was cancelled in a query that succeeded; stages that ran to their end "
                 "are kept",
                 title(at->second), spark_jobs);
}

void SparkJobs::sql_start(const SparkSqlExecution& event) {
  if (event.id == event.root) queries_.try_emplace(event.id);
}

void SparkJobs::sql_end(const SparkSqlExecution& event) {
  const auto beheaded = beheaded_.find(event.id);
  if (beheaded != beheaded_.end()) {
    const auto execution = executions_.find(beheaded->second);
    if (execution != executions_.end()) execution->second.headless = true;
    beheaded_.erase(beheaded);
    return;
  }
  const auto at = queries_.find(event.id);
  if (at == queries_.end() || at->second.ended) return;
  Query& query = at->second;
  query.ended = true;
  query.succeeded = event.result == SparkSqlExecution::Result::succeeded;
  const std::uint32_t index = query.execution;
  const auto execution = executions_.find(index);
  if (execution != executions_.end()) {
    --execution->second.open_queries;
    if (event.result == SparkSqlExecution::Result::failed) execution->second.sql_failed = true;
    if (query.succeeded) forgive(index, query.failed);
  }
  if (query.running == 0) queries_.erase(at);
  close_if_over(index);
}

// -------------------------------------------------------------------------------------------------
// Tasks

void SparkJobs::drop_task(const SparkTask& task, const std::string& why) {
  const auto stage = stages_.find(task.stage);
  if (stage == stages_.end()) {
    report_.drop("task", why, log_.name + ": stage " + std::to_string(task.stage));
    return;
  }
  const Execution& execution = executions_.at(stage->second.execution);
  if (execution.wanted) report_.drop("task", why, title(execution));
}

/// The record of a task that starts, or whose start is not in the log; none if no job names it.
SparkJobs::Flight* SparkJobs::flight_of(const SparkTask& event) {
  const auto known = flights_.find(event.id);
  if (known != flights_.end()) return &known->second;
  const auto at = stages_.find(event.stage);
  if (at == stages_.end()) return nullptr;
  Stage& stage = at->second;
  Flight flight{.task = {.id = event.id, .stage = event.stage, .launch_ms = event.launch_ms},
                .partition = event.partition,
                .speculative = event.speculative,
                .launch = {}};
  flight.task.executor = replay_.executor(event.executor);
  flight.task.execution = stage.execution;
  stage.in_flight.insert(event.id);
  ++jobs_.at(stage.job).unplaced;
  waiting_.emplace(event.launch_ms, event.id);
  return &flights_.emplace(event.id, flight).first->second;
}

void SparkJobs::task_start(const SparkTask& event) {
  (void)flight_of(event);
  now_ = std::max(now_, event.launch_ms);
}

void SparkJobs::task_end(const SparkTask& event) {
  // Of a task that had ended before: its sample stays, and that of the task that does it again
  // counts as one that ran again.
  if (event.fate == SparkTask::Fate::resubmitted) return;
  Flight* flight = flight_of(event);
  if (flight == nullptr) {
    drop_task(event, event.stage <= last_stage_ ? "ended after its job"
                                                : "no job in the log names its stage");
  } else if (flight->ended) {
    drop_task(event, "its end comes twice");
  } else {
    take_end(*flight, event);
  }
  now_ = std::max(now_, event.finish_ms);
  while (waiting_.size() > kHeldBack) place_next();
}

void SparkJobs::take_end(Flight& flight, const SparkTask& event) {
  Stage& stage = stages_.at(flight.task.stage);
  stage.in_flight.erase(event.id);
  flight.ended = true;
  flight.good = event.fate == SparkTask::Fate::good;
  flight.speculative = event.speculative;
  flight.task.finish_ms = event.finish_ms;
  flight.run_ms = event.run_ms;
  flight.cpu_ns = event.cpu_ns;
  if (flight.good && !stage.ran) {
    stage.ran = true;
    executions_.at(stage.execution).ran.emplace(stage.rdd, flight.task.stage);
  }
  if (event.fate == SparkTask::Fate::failed) {
    drop_task(event, "failed: " + (event.reason.empty() ? "no reason given" : event.reason));
  } else if (event.fate == SparkTask::Fate::killed) {
    drop_task(event, event.speculative ? "killed: the copy was not needed" : "killed");
  }
  if (!flight.placed) return;
  replay_.finished(flight.task);
  settle(flight);
  flights_.erase(event.id);
}

/// The situation of the launch that waited longest.
void SparkJobs::place_next() {
  const std::int64_t id = waiting_.top().second;
  waiting_.pop();
  const auto at = flights_.find(id);
  if (at == flights_.end() || at->second.placed) return;  // lost in a gap
  Flight& flight = at->second;
  flight.launch = replay_.place(flight.task);
  flight.placed = true;
  const std::int64_t job_id = stages_.at(flight.task.stage).job;
  SparkJob& job = jobs_.at(job_id);
  --job.unplaced;
  if (flight.ended) {
    settle(flight);
    flights_.erase(at);
  }
  if (job.ended && job.unplaced == 0) reduce(job_id);
}

void SparkJobs::settle(const Flight& flight) {
  Stage& stage = stages_.at(flight.task.stage);
  if (!flight.good || !executions_.at(stage.execution).wanted) return;
  const WaveReplay::Task& task = flight.task;
  stage.samples.push_back({task.launch_ms, task.finish_ms, task.id, flight.run_ms, flight.cpu_ns,
                           flight.partition, flight.speculative, flight.launch});
}

// -------------------------------------------------------------------------------------------------
// Reducing

/// Tasks that will not end: their slots are free, and nothing is expected of them.
/// REQUIRES that all of the stage were placed.
void SparkJobs::abandon(Stage& stage, std::int64_t now, const std::string& why) {
  for (const std::int64_t id : stage.in_flight) {
    const auto at = flights_.find(id);
    Flight& flight = at->second;
    flight.task.finish_ms = std::max(now, flight.task.launch_ms);
    replay_.finished(flight.task);
    flights_.erase(at);
  }
  const Execution& execution = executions_.at(stage.execution);
  if (execution.wanted) report_.drop("task", why, title(execution), stage.in_flight.size());
  stage.in_flight.clear();
}

void SparkJobs::reduce(std::int64_t id) {
  const auto at = jobs_.find(id);
  SparkJob& job = at->second;
  const std::uint32_t index = job.execution;
  for (const std::int64_t stage : job.stages) reduce_stage(job, stage);
  for (const std::int64_t stage : job.stages) {
    replay_.forget_stage(stage);
    stages_.erase(stage);
  }
  --executions_.at(index).running;
  jobs_.erase(at);
  close_if_over(index);
}

void SparkJobs::reduce_stage(const SparkJob& job, std::int64_t id) {
  Stage& stage = stages_.at(id);
  Execution& execution = executions_.at(job.execution);
  abandon(stage, job.end.time_ms, "was running when its job was over, its end is not in the log");
  if (stage.samples.empty()) return;
  const double cpus = replay_.cpus_of(stage.profile);
  StageProfile profile = profile_of(stage.samples, cpus, title(execution), report_);
  stage.samples = {};
  if (profile.tasks == 0) return;
  const bool partial = profile.tasks < stage.declared_tasks;
  // Of a job that failed in a query that did not; in others it goes with the whole execution.
  if (partial && job.end.result != SparkJobEnd::Result::succeeded) return;
  if (partial)
    report_.remark("stage", "ran only some of its tasks, and has those", title(execution));
  execution.stages.push_back(
      {job.number, stage.rdd, id, resolved(job, stage, execution), std::move(profile)});
}

/// Parents by the ids of stages that ran: a parent itself, or of one that was skipped the last
/// stage before it with the same RDD.
std::vector<std::int64_t> SparkJobs::resolved(const SparkJob& job, const Stage& stage,
                                              const Execution& execution) {
  std::vector<std::int64_t> ids;
  std::uint64_t without = 0;
  for (const std::int64_t parent : stage.parents) {
    const auto listed = std::ranges::lower_bound(job.listed, std::pair(parent, kAnyRdd));
    const bool found = listed != job.listed.end() && listed->first == parent;
    const std::int64_t rdd = found ? listed->second : -1 - parent;
    const auto after = execution.ran.upper_bound({rdd, parent});
    if (after == execution.ran.begin() || std::prev(after)->first != rdd) {
      ++without;
    } else {
      ids.push_back(std::prev(after)->second);
    }
  }
  drop_edges(execution, without);
  return ids;
}

void SparkJobs::drop_edges(const Execution& execution, std::uint64_t count) {
  report_.drop("edge", "from a stage that did not run in its job", title(execution), count);
}

// -------------------------------------------------------------------------------------------------
// Delivering

void SparkJobs::close_if_over(std::uint32_t index) {
  const auto at = executions_.find(index);
  if (at == executions_.end()) return;
  const Execution& execution = at->second;
  if (execution.closes && execution.running == 0 && execution.open_queries == 0) close(index);
}

/// Why an execution is left out, or an empty text.
std::string SparkJobs::fault_of(const Execution& execution) const {
  if (execution.failed + execution.cancelled > execution.forgiven) {
    return execution.failed > 0 ? "a Spark job of it failed" : "a Spark job of it was cancelled";
  }
  if (execution.sql_failed) return "its SQL query failed";
  if (execution.lost_part) return "it ran where a part of the log is missing";
  if (execution.headless) return "its beginning is not in the log";
  if (execution.running > 0 || execution.open_queries > 0) return "its end is not in the log";
  if (execution.stages.empty()) return "it ran no task";
  if (execution.stages.size() > dag_scheduling::WorkloadLimits::kStagesPerJob) {
    return "it has more than " + std::to_string(dag_scheduling::WorkloadLimits::kStagesPerJob) +
           " stages";
  }
  return "";
}

void SparkJobs::close(std::uint32_t index) {
  auto node = executions_.extract(index);
  Execution& execution = node.mapped();
  execution_at_.erase(execution.key);
  replay_.forget_execution(index);
  if (!execution.wanted) {
    ++report_.excluded_executions;
    return;
  }
  const std::string fault = fault_of(execution);
  if (!fault.empty()) {
    report_.drop("job", fault, title(execution));
    return;
  }
  const std::string name = title(execution);
  deliver_(assemble(execution), index, name);
}

JobProfile SparkJobs::assemble(Execution& execution) {
  std::ranges::sort(execution.stages, {},
                    [](const Ran& one) { return std::tuple(one.spark_job, one.rdd, one.id); });
  std::unordered_map<std::int64_t, std::uint16_t> place;
  std::uint16_t next = 0;
  for (const Ran& stage : execution.stages) place[stage.id] = next++;
  JobProfile job{execution.job, {}};
  std::uint64_t without = 0;
  for (Ran& stage : execution.stages) {
    std::set<std::uint16_t> parents;
    for (const std::int64_t parent : stage.parents) {
      const auto at = place.find(parent);
      if (at == place.end()) {
        ++without;
      } else if (parent != stage.id) {
        parents.insert(at->second);
      }
    }
    stage.profile.parents.assign(parents.begin(), parents.end());
    job.stages.push_back(std::move(stage.profile));
  }
  drop_edges(execution, without);
  return job;
}

void SparkJobs::gap() {
  while (!waiting_.empty()) place_next();
  for (auto& [id, job] : jobs_) {
    if (!job.ended) executions_.at(job.execution).lost_part = true;
  }
  for (auto& [id, query] : queries_) {
    const auto at = executions_.find(query.execution);
    if (!query.ended && at != executions_.end()) at->second.lost_part = true;
  }
  for (auto& [id, stage] : stages_) abandon(stage, now_, "its end is not in the log");
}

void SparkJobs::finish() {
  while (!waiting_.empty()) place_next();
  for (auto& [id, stage] : stages_) abandon(stage, now_, "its end is not in the log");
  while (!executions_.empty()) close(executions_.begin()->first);
}

}  // namespace park::dag_scheduling::workload
