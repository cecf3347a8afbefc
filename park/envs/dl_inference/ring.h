#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "park/core/id_vector.h"

namespace park::dl_inference {

/// A queue of values that keep their number: value n is at(n) from push to pop. 2^k places; memory
/// only grows.
template <class T>
class Ring {
 public:
  /// Numbers begin again at 0.
  void clear() noexcept { begin_ = end_ = 0; }
  /// Numbers of the first value and behind the last one.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  /// REQUIRES begin() <= n < end().
  [[nodiscard]] const T& at(std::uint64_t n) const noexcept {
    return values_[static_cast<std::size_t>(n) & (values_.size() - 1)];
  }
  [[nodiscard]] T& at(std::uint64_t n) noexcept {
    return values_[static_cast<std::size_t>(n) & (values_.size() - 1)];
  }
  void push(const T& value) {
    if (end_ - begin_ == values_.size()) [[unlikely]]
      grow();
    at(end_++) = value;
  }
  /// Removes the values before that number. REQUIRES n <= end().
  void pop_before(std::uint64_t n) noexcept { begin_ = std::max(begin_, n); }

 private:
  void grow() {
    IdVector<T> larger(2 * values_.size());
    for (std::uint64_t n = begin_; n < end_; ++n)
      larger[static_cast<std::size_t>(n) & (larger.size() - 1)] = at(n);
    values_ = std::move(larger);
  }

  IdVector<T> values_ = IdVector<T>(16);
  std::uint64_t begin_ = 0, end_ = 0;
};

}  // namespace park::dl_inference
