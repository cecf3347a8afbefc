// SparkJobs is a handler of Spark's events that makes job profiles of them. Maps by Spark's own ids
// hold the jobs, stages, tasks in flight, executions and SQL queries that are open. An entry goes
// when it can no longer grow, so memory follows what runs at one time. Events come in the order
// of the log; import_spark calls it, one object per log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/workload/spark_events.h"
#include "park/envs/dag_scheduling/workload/spark_report.h"
#include "park/envs/dag_scheduling/workload/spark_samples.h"
#include "park/envs/dag_scheduling/workload/spark_waves.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {

/// Makes profiles of one application's logical jobs out of its events, while they are read.
///
/// Memory holds the tasks of the Spark jobs that run, the latest launches, and the profiles of
/// logical jobs that may still grow. A Spark job is reduced to samples when it is over and its
/// launches were placed. A logical job is delivered when its last Spark job was. That moment is
/// known for a Spark job that is alone and for a SQL query. Jobs named by park.job or a job group
/// may continue until the log ends.
class SparkJobs final : public SparkEventHandler {
 public:
  /// A finished job, the number of its execution in the log, and its title for messages.
  using Deliver =
      std::function<void(dag_scheduling::JobProfile&&, std::uint32_t, const std::string&)>;

  struct Log {
    std::string name;         ///< for messages
    std::string application;  ///< until the log tells it
    bool headless = false;    ///< its beginning is missing
  };

  SparkJobs(Log log, const std::set<std::string>& excluded, SparkImportReport& report,
            Deliver deliver);

  /// A part of the log is missing here: what runs is lost.
  void gap();
  /// The log is over.
  void finish();

  [[nodiscard]] const std::string& spark_version() const noexcept { return version_; }

  void version(const std::string& version) override { version_ = version; }
  void application(const SparkApplication&) override;
  void task_cpus(const SparkTaskCpus& cpus) override { replay_.task_cpus(cpus); }
  void executor_added(const SparkExecutorAdded& event) override { replay_.executor_added(event); }
  void executor_removed(const SparkExecutorRemoved& event) override {
    replay_.executor_removed(event);
  }
  void job_start(SparkJobStart&) override;
  void job_end(const SparkJobEnd&) override;
  void task_start(const SparkTask&) override;
  void task_end(const SparkTask&) override;
  void sql_start(const SparkSqlExecution&) override;
  void sql_end(const SparkSqlExecution&) override;

 private:
  /// A stage of a Spark job that is not reduced yet.
  struct Stage {
    std::int64_t rdd, declared_tasks, profile;
    std::int64_t job;  ///< the Spark job that named it first
    std::uint32_t execution;
    std::vector<std::int64_t> parents;
    std::vector<SparkSample> samples;
    std::unordered_set<std::int64_t> in_flight;  ///< tasks
    bool ran = false;                            ///< a task succeeded
  };
  struct SparkJob {
    std::uint32_t number;  ///< in order of submission
    std::uint32_t execution;
    std::string sql_root;                                       ///< a followed one, or empty
    std::vector<std::int64_t> stages;                           ///< named first by this job
    std::vector<std::pair<std::int64_t, std::int64_t>> listed;  ///< ids and RDDs of all its stages
    std::uint64_t unplaced = 0;                                 ///< launches
    bool ended = false;
    SparkJobEnd end;
  };
  /// A stage that was reduced.
  struct Ran {
    std::uint32_t spark_job;
    std::int64_t rdd, id;
    std::vector<std::int64_t> parents;  ///< ids of stages that ran
    dag_scheduling::StageProfile profile;
  };
  /// One execution of one logical job.
  struct Execution {
    std::string job, run, key;
    bool wanted = true;
    bool closes = false;  ///< over as soon as no Spark job of it is left
    bool lost_part = false, headless = false, sql_failed = false;
    std::uint32_t running = 0, open_queries = 0;
    std::uint32_t failed = 0, cancelled = 0, forgiven = 0;  ///< Spark jobs
    std::set<std::pair<std::int64_t, std::int64_t>> ran;    ///< RDD and id of stages that ran
    std::vector<Ran> stages;
  };
  /// A SQL query whose start is in the log.
  struct Query {
    bool ended = false, succeeded = false;
    std::uint32_t running = 0, failed = 0;  ///< Spark jobs
    std::uint32_t execution = kNoExecution;
  };
  struct Flight {
    WaveReplay::Task task;
    std::uint32_t partition;
    bool speculative;
    bool placed = false, good = false, ended = false;
    std::int64_t run_ms = 0, cpu_ns = 0;
    Launch launch;
  };
  using ByLaunch = std::pair<std::int64_t, std::int64_t>;  ///< time and id
  static constexpr std::uint32_t kNoExecution = 0xffffffff;

  std::string key_of(const SparkJobStart&, std::string& job, std::string& run) const;
  std::uint32_t execution_of(const SparkJobStart&);
  void follow_query(const SparkJobStart&, std::uint32_t execution, SparkJob& job);
  void judge_query(SparkJob& job);
  void forgive(std::uint32_t execution, std::uint32_t spark_jobs);
  Flight* flight_of(const SparkTask&);
  void take_end(Flight&, const SparkTask&);
  void drop_task(const SparkTask&, const std::string& why);
  void place_next();
  void settle(const Flight&);
  void reduce(std::int64_t id);
  void reduce_stage(const SparkJob&, std::int64_t id);
  void abandon(Stage&, std::int64_t now, const std::string& why);
  std::vector<std::int64_t> resolved(const SparkJob&, const Stage&, const Execution&);
  void close_if_over(std::uint32_t execution);
  void close(std::uint32_t execution);
  [[nodiscard]] std::string fault_of(const Execution&) const;
  [[nodiscard]] dag_scheduling::JobProfile assemble(Execution&);
  [[nodiscard]] std::string title(const Execution&) const;
  void drop_edges(const Execution&, std::uint64_t count);

  Log log_;
  const std::set<std::string>& excluded_;
  SparkImportReport& report_;
  Deliver deliver_;
  std::string version_;
  WaveReplay replay_;
  std::uint32_t spark_jobs_ = 0, executions_made_ = 0;
  std::int64_t last_stage_ = -1, now_ = 0;
  std::unordered_map<std::int64_t, SparkJob> jobs_;
  std::unordered_map<std::int64_t, Stage> stages_;
  std::map<std::uint32_t, Execution> executions_;
  std::unordered_map<std::string, std::uint32_t> execution_at_;  ///< by key
  std::unordered_map<std::string, Query> queries_;
  std::unordered_map<std::string, std::uint32_t> beheaded_;  ///< queries without start: execution
  std::unordered_map<std::int64_t, Flight> flights_;
  std::priority_queue<ByLaunch, std::vector<ByLaunch>, std::greater<>> waiting_;
};

}  // namespace park::dag_scheduling::workload
