#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "park/core/error.h"

namespace park::envs {

/// The completion times of the jobs at one FIFO server, earliest first: a ring that keeps its
/// memory and doubles when it is full.
class CompletionQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// REQUIRES !empty().
  [[nodiscard]] double front() const noexcept {
    PARK_ASSERT(!empty());
    return times_s_[head_];
  }
  void push(double time_s) {
    if (count_ == times_s_.size()) [[unlikely]]
      grow();
    times_s_[(head_ + count_++) & (times_s_.size() - 1)] = time_s;
  }
  /// REQUIRES !empty().
  void pop() noexcept {
    PARK_ASSERT(!empty());
    head_ = (head_ + 1) & (times_s_.size() - 1);
    --count_;
  }
  void clear() noexcept { head_ = count_ = 0; }

 private:
  void grow() {
    std::ranges::rotate(times_s_, times_s_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    times_s_.resize(2 * times_s_.size());
  }

  std::vector<double> times_s_ = std::vector<double>(8);  // a power of two
  std::size_t head_ = 0, count_ = 0;
};

}  // namespace park::envs
