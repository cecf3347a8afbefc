#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/clock.h"

namespace park::dag_scheduling {

/// What executors will have done next: at most one event per executor, in order of time, equal
/// times in the order in which they were scheduled. A heap of four children per node, small enough
/// for the first-level cache. Taking an event leaves a hole that the executor's next event fills.
/// This saves half of the work in the ordinary case that the executor takes the next task.
class EventQueue {
 public:
  void reset(std::size_t executors) {
    heap_.clear();
    heap_.reserve(executors + 1);
    next_ = 0;
    hole_ = false;
  }
  [[nodiscard]] bool empty() const noexcept { return heap_.size() == (hole_ ? 1u : 0u); }
  /// REQUIRES an event and no hole.
  [[nodiscard]] Ticks time() const noexcept { return heap_.front().time; }
  /// Takes the first event and returns its executor. close_hole must follow before the next one.
  [[nodiscard]] std::uint32_t take() noexcept {
    hole_ = true;
    return heap_.front().executor();
  }
  void push(Ticks time, std::uint32_t executor) noexcept {
    const Entry entry{time, next_++ << kExecutorBits | executor};
    if (hole_) {
      hole_ = false;
      sift_down(entry);
    } else {
      heap_.push_back(entry);
      sift_up(entry);
    }
  }
  void close_hole() noexcept {
    if (!std::exchange(hole_, false)) return;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
  }
  /// visit(time, executor) of every event, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : heap_) visit(e.time, e.executor());
  }

 private:
  static constexpr unsigned kExecutorBits = 20;  // kMaxExecutors fits; 2^44 events follow

  struct Entry {
    Ticks time;
    std::uint64_t order;  // when it was scheduled, then the executor
    [[nodiscard]] std::uint32_t executor() const noexcept {
      return static_cast<std::uint32_t>(order & ((1u << kExecutorBits) - 1));
    }
    [[nodiscard]] bool before(const Entry& other) const noexcept {
      return time < other.time || (time == other.time && order < other.order);
    }
  };

  void sift_up(Entry entry) noexcept {
    std::size_t at = heap_.size() - 1;
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!entry.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = entry;
  }
  /// Puts the entry into the tree whose root is free.
  void sift_down(Entry entry) noexcept {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 4 * at + 1) {
      const std::size_t end = std::min(child + 4, size);
      std::size_t least = child;
      for (std::size_t c = child + 1; c < end; ++c)
        least = heap_[c].before(heap_[least]) ? c : least;
      if (!heap_[least].before(entry)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = entry;
  }

  std::vector<Entry> heap_;
  std::uint64_t next_ = 0;
  bool hole_ = false;
};

}  // namespace park::dag_scheduling
