#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "park/core/id_vector.h"

namespace park::sim {

/// Which of two events at one time comes first.
enum class Ties {
  scheduled,  ///< the one that was scheduled first
  source,     ///< the one of the lower source
};

/// The next events of sources (servers, executors): at most one per source, in order of time. A heap
/// of four children per node, small enough for the first-level cache. Taking an event leaves a hole
/// that the source's next event fills. This saves half of the work in the ordinary case that the
/// source takes the next job.
///
///     const std::uint32_t source = queue.take();
///     ...  // may push the source's next event
///     queue.close_hole();
template <class Time, Ties kTies>
class EventQueue {
 public:
  static constexpr std::uint64_t kMostSources = std::uint64_t{1} << 20;

  /// No event is left; 2^44 may follow. REQUIRES sources <= kMostSources.
  void reset(std::size_t sources) {
    heap_.clear();
    heap_.reserve(sources + 1);
    next_ = 0;
    hole_ = false;
  }
  [[nodiscard]] bool empty() const noexcept { return heap_.size() == (hole_ ? 1u : 0u); }
  /// REQUIRES an event and no hole.
  [[nodiscard]] Time time() const noexcept { return heap_.front().time; }
  /// Takes the first event and returns its source. close_hole must follow before the next one.
  [[nodiscard]] std::uint32_t take() noexcept {
    hole_ = true;
    return heap_.front().source();
  }
  /// REQUIRES that the source has no other event.
  void push(Time time, std::uint32_t source) noexcept {
    const Entry entry{time, (kTies == Ties::source ? 0 : next_++ * kMostSources) + source};
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
  /// visit(time, source) of every event, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : heap_) visit(e.time, e.source());
  }

 private:
  struct Entry {
    Time time;
    std::uint64_t order;  // when it was scheduled, then the source
    [[nodiscard]] std::uint32_t source() const noexcept {
      return static_cast<std::uint32_t>(order % kMostSources);
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

  IdVector<Entry> heap_;
  std::uint64_t next_ = 0;
  bool hole_ = false;
};

}  // namespace park::sim
