#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "park/core/space.h"

namespace park {

// A leaf of the observation whose whole numbers are names and not quantities, such as the number of
// a state, says so by its unit. Its bounds are then the first and the last name. The unit is no
// part of layout_hash.

inline constexpr std::string_view kCategory = "category";

/// The most names of a leaf, counted for each of its values: each has a row of weights.
constexpr std::int64_t kMostCategories = std::int64_t{1} << 17;

/// How many names a value of the leaf may be, high - low + 1; 0: its values are quantities.
[[nodiscard]] inline std::int64_t categories(const Leaf& leaf) noexcept {
  using Limits = std::numeric_limits<std::int32_t>;
  const bool whole = leaf.dtype != DType::f32 && leaf.dtype != DType::f64 &&
                     leaf.low >= Limits::lowest() && leaf.high <= Limits::max() &&
                     leaf.low <= leaf.high && leaf.low == std::floor(leaf.low) &&
                     leaf.high == std::floor(leaf.high);
  if (leaf.unit != kCategory || !whole || !leaf.index_of.empty()) return 0;
  const auto names = static_cast<std::int64_t>(leaf.high - leaf.low) + 1;
  const std::size_t all = product_or_most(leaf.width(), static_cast<std::size_t>(names));
  return all <= static_cast<std::size_t>(kMostCategories) ? names : 0;
}

}  // namespace park
