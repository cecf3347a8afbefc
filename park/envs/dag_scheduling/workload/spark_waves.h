#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/envs/dag_scheduling/workload/spark_events.h"

namespace park::dag_scheduling::workload {

/// The situation in which a task was launched.
struct Launch {
  dag_scheduling::Wave wave = dag_scheduling::Wave::rest;
  std::uint16_t executors = 1;
  std::uint32_t slot = 0;  ///< unique in the application
};

/// Replays the launches of an application in order of time and determines their situations.
///
/// The unit is the slot: an executor of c cores and k cores a task is c / k of them. A task takes
/// the free slot with the lowest number of its executor. Its wave is fresh on a slot that had no
/// task of this execution yet. It is first on a slot that had no task of this stage, else rest.
/// While no other execution has a task in flight, its execution holds all live executors. Otherwise
/// it holds those whose last launched task, this one included, is its own.
class WaveReplay {
 public:
  struct Task {
    std::int64_t id = 0, stage = 0;
    std::int64_t launch_ms = 0, finish_ms = kNever;  ///< kNever: in flight as far as is known
    std::uint32_t executor = 0, execution = 0;
  };

  /// Executors come and go in order of time, with respect to the launches, not to the calls.
  void executor_added(const SparkExecutorAdded&);
  void executor_removed(const SparkExecutorRemoved&);
  void task_cpus(const SparkTaskCpus& cpus) { cpus_[cpus.profile] = cpus.cpus; }
  [[nodiscard]] std::int32_t cpus_of(std::int64_t profile) const;
  /// A small number for an executor's name.
  [[nodiscard]] std::uint32_t executor(const std::string& id);

  /// The next launch. Calls go in order of (launch_ms, id), as far as the log can be put in order.
  [[nodiscard]] Launch place(const Task&);
  /// Reports the finish_ms of a task that was placed without it.
  void finished(const Task&);

  // Forgets the past: no task of it will be placed.
  void forget_stage(std::int64_t stage) { stage_slots_.erase(stage); }
  void forget_execution(std::uint32_t execution) { execution_slots_.erase(execution); }

 private:
  struct Slot {
    std::uint32_t number = 0;  ///< unique in the application
    std::uint32_t last_execution;
    std::int64_t task = 0;
    std::int64_t launch_ms = 0, finish_ms = 0;  ///< times of its last task
  };
  struct Host {
    std::int32_t cores = 1;
    std::int64_t profile = 0;
    std::size_t capacity = 0;  ///< 0: not alive
    std::vector<Slot> slots;   ///< those used so far
  };
  struct Change {
    std::int64_t time_ms;
    bool removed;
    std::uint32_t executor;
    bool operator>(const Change& other) const {
      return std::tie(time_ms, removed, executor) >
             std::tie(other.time_ms, other.removed, other.executor);
    }
  };
  using SlotNumbers = std::vector<std::uint32_t>;  ///< ascending
  using Finish = std::pair<std::int64_t, std::uint32_t>;
  template <class T>
  using EarliestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void advance(std::int64_t now);
  void raise(Host& host);
  void drop(Host& host);
  Slot& take_slot(Host& host, const Task& task);
  dag_scheduling::Wave wave_of(const Slot& slot, const Task& task);
  void hold(std::uint32_t execution) { ++held_[execution]; }
  void release(std::uint32_t execution);

  std::unordered_map<std::string, std::uint32_t> executor_of_;
  std::vector<Host> hosts_;  ///< by executor
  std::map<std::int64_t, std::int32_t> cpus_;
  EarliestFirst<Change> changes_;
  std::size_t alive_slots_ = 0;
  std::uint32_t slots_made_ = 0;
  std::unordered_map<std::uint32_t, std::size_t> held_;     ///< slots by execution
  std::unordered_map<std::uint32_t, std::size_t> running_;  ///< tasks in flight by execution
  std::size_t running_in_all_ = 0;
  EarliestFirst<Finish> finishes_;  ///< ends of tasks in flight, as far as known: when, whose
  std::unordered_map<std::uint32_t, SlotNumbers> execution_slots_;
  std::unordered_map<std::int64_t, SlotNumbers> stage_slots_;
};

}  // namespace park::dag_scheduling::workload
