#include "park/workload/spark_waves.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace park::workload {
namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

struct Slot {
  std::uint32_t number = 0;  ///< unique in the application
  std::uint32_t last_execution = kNobody;
  std::int64_t launch_ms = 0, finish_ms = 0;  ///< of its last task
};

struct Host {
  std::size_t capacity = 1;
  bool alive = false;
  std::vector<Slot> slots;  ///< those used so far
};

/// Replays the launches of an application in order of time.
class Replay {
 public:
  explicit Replay(const SparkLog& log) : log_(log), held_(log.executions.size(), 0) {
    running_.assign(log.executions.size(), 0);
    for (std::uint32_t e = 0; e < log.executors.size(); ++e) {
      const SparkLog::Executor& executor = log.executors[e];
      Host& host = hosts_.emplace_back();
      host.capacity = static_cast<std::size_t>(std::max(1, executor.cores / log.task_cpus));
      changes_.emplace_back(executor.added_ms, false, e);
      changes_.emplace_back(executor.removed_ms, true, e);
    }
    std::sort(changes_.begin(), changes_.end());
  }

  Launch launch(const SparkLog::Task& task) {
    advance(task.launch_ms);
    const SparkLog::Stage& stage = log_.stages[task.stage];
    Host& host = hosts_[task.executor];
    if (!host.alive) raise(host);  // the log told of its task before or instead of the executor
    Slot& slot = take_slot(host, task);
    if (slot.last_execution != stage.execution) {
      if (slot.last_execution != kNobody) --held_[slot.last_execution];
      ++held_[stage.execution];
      slot.last_execution = stage.execution;
    }
    Launch launch;
    launch.wave = wave_of(slot, stage.execution, task.stage);
    const bool alone = in_flight_.size() == running_[stage.execution];
    const std::size_t executors = alone ? alive_slots_ : held_[stage.execution];
    launch.executors = static_cast<std::uint16_t>(std::clamp<std::size_t>(executors, 1, 65535));
    in_flight_.emplace(task.finish_ms, stage.execution);
    ++running_[stage.execution];
    return launch;
  }

 private:
  void advance(std::int64_t now) {
    for (; !in_flight_.empty() && in_flight_.top().first <= now; in_flight_.pop()) {
      --running_[in_flight_.top().second];
    }
    for (; next_change_ < changes_.size() && std::get<0>(changes_[next_change_]) <= now;
         ++next_change_) {
      const auto [time, removed, executor] = changes_[next_change_];
      if (time == SparkLog::kNever) continue;
      Host& host = hosts_[executor];
      if (removed) {
        drop(host);
      } else if (!host.alive) {
        raise(host);
      }
    }
  }

  void raise(Host& host) {
    host.alive = true;
    alive_slots_ += host.capacity;
  }

  void drop(Host& host) {
    if (!host.alive) return;
    host.alive = false;
    alive_slots_ -= host.capacity;
    for (const Slot& slot : host.slots) --held_[slot.last_execution];
    host.slots.clear();
  }

  /// Its finish time may lie a moment after the next launch on the same core: the driver hands out
  /// the core first and looks at the result later. Then the slot that started longest ago is it.
  Slot& take_slot(Host& host, const SparkLog::Task& task) {
    std::vector<Slot>& slots = host.slots;
    auto at = std::find_if(slots.begin(), slots.end(),
                           [&](const Slot& slot) { return slot.finish_ms <= task.launch_ms; });
    if (at == slots.end() && slots.size() < host.capacity) {
      slots.emplace_back().number = slots_made_++;
      at = slots.end() - 1;
    } else if (at == slots.end()) {
      at = std::min_element(slots.begin(), slots.end(),
                            [](const Slot& a, const Slot& b) { return a.launch_ms < b.launch_ms; });
    }
    at->launch_ms = task.launch_ms;
    at->finish_ms = task.finish_ms;
    return *at;
  }

  envs::Wave wave_of(const Slot& slot, std::uint32_t execution, std::uint32_t stage) {
    const auto pair = [&](std::uint64_t other) { return (other << 32) | slot.number; };
    const bool new_execution = executions_seen_.insert(pair(execution)).second;
    const bool new_stage = stages_seen_.insert(pair(stage)).second;
    return new_execution ? envs::Wave::fresh : new_stage ? envs::Wave::first : envs::Wave::rest;
  }

  const SparkLog& log_;
  std::vector<Host> hosts_;
  std::vector<std::tuple<std::int64_t, bool, std::uint32_t>> changes_;
  std::size_t next_change_ = 0, alive_slots_ = 0;
  std::uint32_t slots_made_ = 0;
  std::vector<std::size_t> held_;     ///< slots by execution
  std::vector<std::size_t> running_;  ///< tasks in flight by execution
  using InFlight = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<InFlight, std::vector<InFlight>, std::greater<>> in_flight_;
  std::unordered_set<std::uint64_t> executions_seen_, stages_seen_;
};

}  // namespace

std::vector<Launch> launches(SparkLog& log) {
  std::sort(log.tasks.begin(), log.tasks.end(),
            [](const SparkLog::Task& a, const SparkLog::Task& b) {
              return std::pair(a.launch_ms, a.id) < std::pair(b.launch_ms, b.id);
            });
  Replay replay(log);
  std::vector<Launch> all;
  all.reserve(log.tasks.size());
  for (const SparkLog::Task& task : log.tasks) all.push_back(replay.launch(task));
  return all;
}

}  // namespace park::workload
