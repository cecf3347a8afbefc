#include "park/sim/percentiles.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace park::sim {
namespace {

constexpr std::int64_t kGroups = 512;  // eighths of the octaves from 2^-32 to 2^32

/// By the exponent and three bits of the mantissa: groups are in the order of their values. What is
/// below them, also below 0, is in the first.
std::size_t group_of(double v) noexcept {
  constexpr std::int64_t kFirst = (1023 - 32) * 8;
  const std::int64_t leading = std::bit_cast<std::int64_t>(v) >> 49;
  return static_cast<std::size_t>(std::clamp(leading, kFirst, kFirst + kGroups - 1) - kFirst);
}

}  // namespace

// Selection in one array mispredicts a branch per value, which showed in the rate of steps.
// Sorting into groups has no branches and leaves little to select from.
Percentiles PercentileSearch::find(std::span<const double> values) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kUndefined, kUndefined, kUndefined};
  ends_.assign(kGroups + 1, 0);
  for (const double v : values) ++ends_[group_of(v) + 1];
  for (std::size_t g = 1; g < ends_.size(); ++g) ends_[g] += ends_[g - 1];  // ends_[g]: g's begin
  grouped_.resize(values.size());
  for (const double v : values) grouped_[ends_[group_of(v)]++] = v;  // ... and now its end
  return {find_one(50), find_one(95), find_one(99)};
}

double PercentileSearch::find_one(std::size_t percent) {
  const std::size_t rank = (grouped_.size() * percent + 99) / 100;  // rounded up, at least 1
  const auto group = std::ranges::lower_bound(ends_, rank);
  const auto begin = group == ends_.begin() ? 0 : *(group - 1);
  const auto at = [&](std::size_t i) { return grouped_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(rank - 1), at(*group));
  return grouped_[rank - 1];
}

}  // namespace park::sim
