#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/cluster_state.h"
#include "park/envs/dag_scheduling/workload.h"
#include "park/sim/timeline_switch.h"

namespace park::dag_scheduling {

/// Reports to an event sink what a timeline of the cluster shows. It reports the graph of every
/// job, and spans on the lanes "executor 0" .. for every task and every move. With several classes
/// of executors a lane tells its class too, "executor 0, class 0", and a stage what a task needs.
/// Points "arrival" and
/// "completion" of jobs are on the lane "arrivals". The series are "jobs in system" and "running
/// mean of JCT (s)", the mean over the jobs completed by then. Without a sink it is false, and
/// nothing may be reported.
class Timeline : public sim::TimelineSwitch {
 public:
  /// A new episode; announces the lanes. Spans end at the horizon at the latest.
  /// `several`: there are several classes of executors.
  void begin(const Episode&, std::span<const ExecutorState> executors, bool several);

  struct Task {
    std::uint32_t executor, job, stage;  ///< job: its number in the episode
    std::int32_t task;
    Wave wave;
    Ticks start, duration;
  };
  void task(const Task&, const std::string& job_name) const;
  void move(std::uint32_t executor, std::uint32_t to_job, Ticks start, Ticks duration) const;

  struct Job {
    std::uint32_t number;        ///< in the episode
    std::uint32_t workload_job;  ///< index in the workload
    std::uint32_t stages;
    double work_s;
    std::size_t in_system;  ///< jobs, after it has come or gone
  };
  void arrival(Ticks, const Job&, const Workload&);
  void completion(Ticks, const Job&, Ticks arrived);

 private:
  void describe(const Job&, const Workload&);
  [[nodiscard]] std::string lane(std::size_t executor) const;
  void span(std::uint32_t executor, Ticks start, Ticks duration, const std::string& what,
            std::span<const EventArg> args) const;

  double horizon_s_ = 0;
  double jct_sum_s_ = 0;
  std::uint64_t completed_ = 0;
  std::vector<std::uint8_t> classes_;  // [executors], or empty where there is one class
  // Scratch of describe.
  std::vector<EventArg> args_;
  std::vector<EventStage> stages_;
};

}  // namespace park::dag_scheduling
