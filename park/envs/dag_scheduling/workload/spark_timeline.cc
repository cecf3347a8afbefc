// A timeline of an application, told from its event log. The collector keeps all jobs, attempts of
// tasks and executors while the log is read; afterwards stages are numbered, waves are replayed,
// and the reporter tells the sink jobs, then tasks slot by slot, then arrivals and completions.
// `park spark run` calls it for each policy.
#include "park/envs/dag_scheduling/workload/spark_timeline.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/spark_events.h"
#include "park/envs/dag_scheduling/workload/spark_waves.h"
#include "park/files/json_cursor.h"
#include "park/files/lines.h"
#include "park/files/unpack.h"

namespace park::dag_scheduling::workload {
namespace {

struct Stage {
  std::int64_t id = 0, rdd = 0;
  std::vector<std::int64_t> parents;
  std::uint64_t tasks = 0;  // that succeeded
  double work_s = 0;
  std::uint16_t index = 0;                 // among those of the job that ran
  std::vector<std::uint16_t> ran_after{};  // their indices
  [[nodiscard]] bool ran() const noexcept { return tasks > 0; }
};

struct Job {
  std::string name;
  std::int64_t arrival_ms = kNever, end_ms = kNever;
  std::map<std::int64_t, Stage> stages;
  std::set<std::string> open;  // Spark jobs and queries
  [[nodiscard]] double work_s() const {
    double sum = 0;
    for (const auto& [id, stage] : stages) sum += stage.work_s;
    return sum;
  }
};

struct Attempt {
  SparkTask task;
  std::size_t job;
};

/// Keeps what a timeline shows.
class LogCollector final : public SparkEventHandler {
 public:
  std::vector<Job> jobs;
  std::vector<Attempt> attempts;
  WaveReplay replay;
  std::size_t cores = 0;

  void version(const std::string&) override {}
  void application(const SparkApplication&) override {}
  void task_cpus(const SparkTaskCpus& cpus) override { replay.task_cpus(cpus); }
  void executor_added(const SparkExecutorAdded& event) override {
    replay.executor_added(event);
    cores += static_cast<std::size_t>(std::max(1, event.cores / replay.cpus_of(event.profile)));
  }
  void executor_removed(const SparkExecutorRemoved& event) override {
    replay.executor_removed(event);
  }

  void job_start(SparkJobStart& event) override {
    if (event.park_setup) return;
    const std::size_t at = job_of(event);
    Job& job = jobs[at];
    job.open.insert(spark_job(event.id));
    job.arrival_ms = std::min(job.arrival_ms, event.time_ms);
    const auto query = queries_.find(event.sql_root);
    if (query != queries_.end()) {
      job.open.insert(event.sql_root);
      job.arrival_ms = std::min(job.arrival_ms, query->second);
    }
    for (SparkStageInfo& info : event.stages) {
      job.stages.try_emplace(
          info.id, Stage{.id = info.id, .rdd = info.rdd, .parents = std::move(info.parents)});
      job_of_stage_[info.id] = at;
    }
  }
  void job_end(const SparkJobEnd& event) override { close(spark_job(event.id), event.time_ms); }
  void sql_start(const SparkSqlExecution& event) override {
    if (event.id == event.root) queries_[event.id] = event.time_ms;
  }
  void sql_end(const SparkSqlExecution& event) override {
    queries_.erase(event.id);
    close(event.id, event.time_ms);
  }

  void task_start(const SparkTask&) override {}
  void task_end(const SparkTask& event) override {
    const auto at = job_of_stage_.find(event.stage);
    if (event.fate == SparkTask::Fate::resubmitted || at == job_of_stage_.end()) return;
    attempts.push_back({event, at->second});
    if (event.fate != SparkTask::Fate::good) return;
    Stage& stage = jobs[at->second].stages.at(event.stage);
    ++stage.tasks;
    stage.work_s += static_cast<double>(event.finish_ms - event.launch_ms) / 1e3;
  }

 private:
  static std::string spark_job(std::int64_t id) { return "job " + std::to_string(id); }

  std::size_t job_of(const SparkJobStart& event) {
    const std::string run = event.park_run.empty() ? "" : "#" + event.park_run;
    std::string name = !event.park_job.empty()   ? event.park_job + run
                       : !event.sql_root.empty() ? "query " + event.sql_root
                       : !event.group.empty()    ? "group " + event.group
                                                 : spark_job(event.id);
    const auto [at, added] = live_.try_emplace(name, jobs.size());
    if (added) jobs.push_back({.name = std::move(name), .stages = {}, .open = {}});
    return at->second;
  }

  void close(const std::string& part, std::int64_t time_ms) {
    for (const auto& [name, at] : live_) {
      Job& job = jobs[at];
      if (job.open.erase(part) == 0) continue;
      if (job.open.empty()) {
        job.end_ms = std::max(time_ms, job.arrival_ms);
        live_.erase(name);
      }
      return;
    }
  }

  std::map<std::string, std::size_t> live_;      // by name
  std::map<std::string, std::int64_t> queries_;  // that run: when they began
  std::map<std::int64_t, std::size_t> job_of_stage_;
};

void read(const SparkLogInput& log, SparkEventHandler& handler) {
  for (const SparkLogFile& file : log.files) {
    const std::unique_ptr<files::ByteSource> text = files::plain_text(file.open(), file.name);
    files::LineReader lines(*text, file.name);
    std::string_view line;
    while (lines.next(line)) {
      if (line.empty()) continue;
      try {
        read_spark_event(line, handler);
      } catch (const files::JsonError& error) {
        if (!lines.ended()) return;  // it breaks off here
        throw Error(Errc::bad_file,
                    file.name + ": line " + std::to_string(lines.number()) + ": " + error.what());
      }
    }
  }
}

/// Numbers the stages that ran, in the order of their ids, which is parents first; a parent that
/// was skipped is the last one before it with the same RDD.
void number_stages(Job& job) {
  std::uint16_t next = 0;
  std::map<std::int64_t, std::uint16_t> by_rdd;
  for (auto& [id, stage] : job.stages) {
    for (const std::int64_t parent : stage.parents) {
      const auto at = job.stages.find(parent);
      if (at == job.stages.end() || !stage.ran()) continue;
      const auto ran = by_rdd.find(at->second.rdd);
      if (ran != by_rdd.end()) stage.ran_after.push_back(ran->second);
    }
    if (!stage.ran()) continue;
    stage.index = next++;
    by_rdd[stage.rdd] = stage.index;
  }
}

/// Tells the sink what was collected.
class LogReporter {
 public:
  LogReporter(LogCollector& from, EventSink& to) : from_(from), to_(to) {
    for (const Job& job : from.jobs) begin_ms_ = std::min(begin_ms_, job.arrival_ms);
  }

  void tell() {
    for (std::size_t i = 0; i < from_.jobs.size(); ++i) {
      number_stages(from_.jobs[i]);
      describe(i);
    }
    tell_tasks();
    tell_jobs();
  }

 private:
  [[nodiscard]] double seconds(std::int64_t ms) const {
    return static_cast<double>(ms - begin_ms_) / 1e3;
  }
  static std::string lane(std::size_t slot) { return "executor " + std::to_string(slot); }

  void describe(std::size_t number) {
    constexpr std::size_t kArgs = 2;
    const Job& job = from_.jobs[number];
    std::vector<EventArg> args;
    std::vector<const Stage*> ran;
    for (const auto& [id, stage] : job.stages) {
      if (!stage.ran()) continue;
      ran.push_back(&stage);
      const auto tasks = static_cast<double>(stage.tasks);
      args.push_back({"tasks", tasks});
      args.push_back({"mean_task_s", stage.work_s / tasks});
    }
    std::vector<EventStage> stages;
    for (std::size_t i = 0; i < ran.size(); ++i)
      stages.push_back({ran[i]->ran_after, {args.data() + kArgs * i, kArgs}});
    to_.job(number, job.name, stages);
  }

  struct Span {
    std::int64_t start_ms, end_ms;
    const Attempt* attempt;
    Launch launch;
  };

  void tell_tasks() {
    std::ranges::sort(from_.attempts, {},
                      [](const Attempt& a) { return std::pair(a.task.launch_ms, a.task.id); });
    std::map<std::uint32_t, std::vector<Span>> slots;
    for (const Attempt& a : from_.attempts) {
      const Launch launch = from_.replay.place({.id = a.task.id,
                                                .stage = a.task.stage,
                                                .launch_ms = a.task.launch_ms,
                                                .finish_ms = a.task.finish_ms,
                                                .executor = from_.replay.executor(a.task.executor),
                                                .execution = static_cast<std::uint32_t>(a.job)});
      std::vector<Span>& spans = slots[launch.slot];
      // The driver hands out a core first and looks at the result later.
      if (!spans.empty()) spans.back().end_ms = std::min(spans.back().end_ms, a.task.launch_ms);
      spans.push_back({a.task.launch_ms, a.task.finish_ms, &a, launch});
    }
    for (std::size_t i = 0; i < std::max(from_.cores, slots.size()); ++i) to_.lane(lane(i));
    for (const auto& [slot, spans] : slots)
      for (const Span& span : spans) tell_task(slot, span);
  }

  void tell_task(std::uint32_t slot, const Span& span) {
    const SparkTask& task = span.attempt->task;
    const Job& job = from_.jobs[span.attempt->job];
    const Stage& stage = job.stages.at(task.stage);
    if (!stage.ran()) return;
    const std::array<EventArg, 4> args{{{"job", static_cast<double>(span.attempt->job)},
                                        {"stage", static_cast<double>(stage.index)},
                                        {"task", static_cast<double>(task.partition)},
                                        {"wave", static_cast<double>(span.launch.wave),
                                         dag_scheduling::wave_name(span.launch.wave)}}};
    to_.span(lane(slot), seconds(span.start_ms), seconds(span.end_ms),
             job.name + "/" + std::to_string(stage.index), args);
  }

  void tell_jobs() {
    std::multimap<std::int64_t, std::function<void(double)>> events;
    for (std::size_t i = 0; i < from_.jobs.size(); ++i) {
      const Job& job = from_.jobs[i];
      events.emplace(job.arrival_ms, [this, i](double time_s) { arrival(i, time_s); });
      if (job.end_ms != kNever)
        events.emplace(job.end_ms, [this, i](double time_s) { completion(i, time_s); });
    }
    for (const auto& [time_ms, tell] : events) tell(seconds(time_ms));
  }

  void arrival(std::size_t number, double time_s) {
    const Job& job = from_.jobs[number];
    const auto stages = std::ranges::count_if(job.stages, &Stage::ran,
                                              &std::map<std::int64_t, Stage>::value_type::second);
    const std::array<EventArg, 3> args{{{"job", static_cast<double>(number)},
                                        {"stages", static_cast<double>(stages)},
                                        {"work_s", job.work_s()}}};
    to_.point("arrivals", time_s, "arrival", args);
    to_.value("", "jobs in system", time_s, ++in_system_);
  }

  void completion(std::size_t number, double time_s) {
    const double jct_s = time_s - seconds(from_.jobs[number].arrival_ms);
    const std::array<EventArg, 2> args{{{"job", static_cast<double>(number)}, {"jct_s", jct_s}}};
    to_.point("arrivals", time_s, "completion", args);
    to_.value("", "jobs in system", time_s, --in_system_);
    jct_sum_s_ += jct_s;
    to_.value("", "running mean of JCT (s)", time_s, jct_sum_s_ / ++completed_);
  }

  LogCollector& from_;
  EventSink& to_;
  std::int64_t begin_ms_ = kNever;
  double in_system_ = 0, completed_ = 0, jct_sum_s_ = 0;
};

}  // namespace

void spark_timeline(const SparkLogInput& log, const Episode& episode, EventSink& sink) {
  LogCollector collector;
  read(log, collector);
  sink.begin(episode);
  LogReporter(collector, sink).tell();
}

}  // namespace park::dag_scheduling::workload
