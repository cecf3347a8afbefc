#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "park/core/error.h"

namespace park {

/// A vector in an inner loop, whose elements are found by numbers that its owner has given out
/// itself. PARK_ASSERT checks them in builds with assertions. Release builds check every access of
/// a std::vector (cmake/park_hardening.cmake), and those checks take a tenth of a simulator's time.
/// Functions that would be inlined no longer are. Never index it by what came from outside.
template <class T>
class IdVector : public std::vector<T> {
  static_assert(!std::is_same_v<T, bool>);

 public:
  using std::vector<T>::vector;

  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    PARK_ASSERT(i < this->size());
    return this->data()[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    PARK_ASSERT(i < this->size());
    return this->data()[i];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[this->size() - 1]; }
  [[nodiscard]] const T& back() const noexcept { return (*this)[this->size() - 1]; }
};

}  // namespace park
