#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "park/core/error.h"

namespace park::net {

/// A first-in first-out list in a circle of memory that only grows. The i-th element counts from the
/// front.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] T& front() noexcept { return at(begin_); }
  [[nodiscard]] const T& front() const noexcept { return at(begin_); }
  [[nodiscard]] T& back() noexcept { return at(end_ - 1); }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return at(begin_ + i); }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return at(begin_ + i); }
  void push(const T& value) {
    if (size() == mask_ + 1) [[unlikely]]
      grow();
    at(end_++) = value;
  }
  void pop() noexcept {
    PARK_ASSERT(!empty());
    ++begin_;
  }
  void clear() noexcept { begin_ = end_ = 0; }

 private:
  static constexpr std::size_t kFirst = 64;

  [[nodiscard]] T& at(std::size_t i) noexcept { return places_.data()[i & mask_]; }
  [[nodiscard]] const T& at(std::size_t i) const noexcept { return places_.data()[i & mask_]; }
  void grow() {
    std::vector<T> larger(places_.empty() ? kFirst : 2 * places_.size());
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) larger[i] = at(begin_ + i);
    places_ = std::move(larger);
    mask_ = places_.size() - 1;
    begin_ = 0;
    end_ = n;
  }

  std::vector<T> places_;
  std::size_t mask_ =
      ~std::size_t{0};  // places - 1, a power of 2 less one; at first there are none
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace park::net
