#include "park/envs/dag_scheduling/workload/spark_waves.h"

#include <algorithm>

namespace park::dag_scheduling::workload {
namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

/// False if it was there.
bool insert(std::vector<std::uint32_t>& ascending, std::uint32_t number) {
  const auto at = std::ranges::lower_bound(ascending, number);
  if (at != ascending.end() && *at == number) return false;
  ascending.insert(at, number);
  return true;
}

}  // namespace

std::int32_t WaveReplay::cpus_of(std::int64_t profile) const {
  const auto own = cpus_.find(profile);
  if (own != cpus_.end()) return own->second;
  const auto common = cpus_.find(0);
  return common != cpus_.end() ? common->second : 1;
}

std::uint32_t WaveReplay::executor(const std::string& id) {
  const auto [at, added] = executor_of_.try_emplace(id, static_cast<std::uint32_t>(hosts_.size()));
  if (added) hosts_.emplace_back();
  return at->second;
}

void WaveReplay::executor_added(const SparkExecutorAdded& event) {
  const std::uint32_t index = executor(event.id);
  hosts_[index].cores = event.cores;
  hosts_[index].profile = event.profile;
  changes_.push({event.time_ms, false, index});
}

void WaveReplay::executor_removed(const SparkExecutorRemoved& event) {
  changes_.push({event.time_ms, true, executor(event.id)});
}

Launch WaveReplay::place(const Task& task) {
  advance(task.launch_ms);
  Host& host = hosts_[task.executor];
  if (host.capacity == 0)
    raise(host);  // the log told of its task before or instead of the executor
  Slot& slot = take_slot(host, task);
  if (slot.last_execution != task.execution) {
    if (slot.last_execution != kNobody) release(slot.last_execution);
    hold(task.execution);
    slot.last_execution = task.execution;
  }
  Launch launch;
  launch.wave = wave_of(slot, task);
  launch.slot = slot.number;
  std::size_t& running = running_[task.execution];
  const bool alone = running_in_all_ == running;
  const std::size_t executors = alone ? alive_slots_ : held_[task.execution];
  launch.executors = static_cast<std::uint16_t>(std::clamp<std::size_t>(executors, 1, 65535));
  ++running;
  ++running_in_all_;
  if (task.finish_ms != kNever) finishes_.emplace(task.finish_ms, task.execution);
  return launch;
}

void WaveReplay::finished(const Task& task) {
  finishes_.emplace(task.finish_ms, task.execution);
  for (Slot& slot : hosts_[task.executor].slots) {
    if (slot.task == task.id) slot.finish_ms = task.finish_ms;
  }
}

void WaveReplay::advance(std::int64_t now) {
  for (; !finishes_.empty() && finishes_.top().first <= now; finishes_.pop()) {
    const auto at = running_.find(finishes_.top().second);
    if (--at->second == 0) running_.erase(at);
    --running_in_all_;
  }
  for (; !changes_.empty() && changes_.top().time_ms <= now; changes_.pop()) {
    Host& host = hosts_[changes_.top().executor];
    if (changes_.top().removed) {
      drop(host);
    } else if (host.capacity == 0) {
      raise(host);
    }
  }
}

void WaveReplay::raise(Host& host) {
  host.capacity = static_cast<std::size_t>(std::max(1, host.cores / cpus_of(host.profile)));
  alive_slots_ += host.capacity;
}

void WaveReplay::drop(Host& host) {
  alive_slots_ -= host.capacity;
  host.capacity = 0;
  for (const Slot& slot : host.slots) release(slot.last_execution);
  host.slots = {};
}

void WaveReplay::release(std::uint32_t execution) {
  const auto at = held_.find(execution);
  if (--at->second == 0) held_.erase(at);
}

/// Its finish time may lie a moment after the next launch on the same core: the driver hands out
/// the core first and looks at the result later. Then the slot that started longest ago is it.
WaveReplay::Slot& WaveReplay::take_slot(Host& host, const Task& task) {
  std::vector<Slot>& slots = host.slots;
  auto at = std::ranges::find_if(
      slots, [&](const Slot& slot) { return slot.finish_ms <= task.launch_ms; });
  if (at == slots.end() && slots.size() < host.capacity) {
    slots.push_back({.number = slots_made_++, .last_execution = kNobody});
    at = slots.end() - 1;
  } else if (at == slots.end()) {
    at = std::ranges::min_element(slots, {}, &Slot::launch_ms);
  }
  at->task = task.id;
  at->launch_ms = task.launch_ms;
  at->finish_ms = task.finish_ms;
  return *at;
}

dag_scheduling::Wave WaveReplay::wave_of(const Slot& slot, const Task& task) {
  const bool new_execution = insert(execution_slots_[task.execution], slot.number);
  const bool new_stage = insert(stage_slots_[task.stage], slot.number);
  return new_execution ? dag_scheduling::Wave::fresh
         : new_stage   ? dag_scheduling::Wave::first
                       : dag_scheduling::Wave::rest;
}

}  // namespace park::dag_scheduling::workload
