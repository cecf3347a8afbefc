#pragma once

#include <cstddef>
#include <string>

#include "park/core/batch.h"
#include "park/core/space.h"

namespace park::check {

/// Finds what is wrong with a row of observations. The spec must outlive it.
class RowChecker {
 public:
  explicit RowChecker(const Spec& spec) : record_(spec.observation) {}

  /// A value that is not finite or outside its bounds, an index out of range, more elements than the
  /// capacity; "" where nothing is wrong.
  [[nodiscard]] std::string problem(ConstRow) const;

 private:
  [[nodiscard]] bool sound(ConstRow, std::size_t column) const;
  template <class T>
  [[nodiscard]] bool sound_values(ConstRow, std::size_t column) const;

  const Record& record_;
};

}  // namespace park::check
