#include "park/sim/response_log.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace park::sim {
namespace {

constexpr std::uint64_t kGroups = 512;  // eighths of the octaves from 2^-32 to 2^32 s

/// By the exponent and three bits of the mantissa: groups are in the order of their values.
std::size_t group_of(double v) noexcept {
  constexpr std::uint64_t kFirst = (1023 - 32) * 8;
  const std::uint64_t leading = std::bit_cast<std::uint64_t>(v) >> 49;
  return std::clamp(leading, kFirst, kFirst + kGroups - 1) - kFirst;
}

}  // namespace

// Selection in one array mispredicts a branch per value, which showed in the rate of steps.
// Sorting into groups has no branches and leaves little to select from.
ResponseLog::Percentiles ResponseLog::percentiles_s() {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  if (all_s_.empty()) return {kUndefined, kUndefined, kUndefined};
  ends_.assign(kGroups + 1, 0);
  for (const double v : all_s_) ++ends_[group_of(v) + 1];
  for (std::size_t g = 1; g <= kGroups; ++g) ends_[g] += ends_[g - 1];  // ends_[g]: g's begin
  grouped_s_.resize(all_s_.size());
  for (const double v : all_s_) grouped_s_[ends_[group_of(v)]++] = v;  // ... and now its end
  return {percentile(50), percentile(95), percentile(99)};
}

double ResponseLog::percentile(std::size_t percent) {
  const std::size_t rank = (count() * percent + 99) / 100;  // rounded up, at least 1
  const auto group = std::ranges::lower_bound(ends_, rank);
  const auto begin = group == ends_.begin() ? 0 : *(group - 1);
  const auto at = [&](std::size_t i) {
    return grouped_s_.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::nth_element(at(begin), at(rank - 1), at(*group));
  return grouped_s_[rank - 1];
}

}  // namespace park::sim
