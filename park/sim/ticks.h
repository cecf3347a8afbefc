#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace park::sim {

/// Time of an episode in whole microseconds: equal times are equal, sums are exact.
using Ticks = std::int64_t;

inline constexpr Ticks kTicksPerMs = 1000;
inline constexpr Ticks kNever = std::numeric_limits<Ticks>::max();

[[nodiscard]] inline double to_seconds(Ticks t) noexcept { return static_cast<double>(t) / 1e6; }
/// The nearest tick.
[[nodiscard]] inline Ticks to_ticks(double seconds) noexcept {
  return static_cast<Ticks>(std::llround(seconds * 1e6));
}
/// The first tick that is not before the time; kNever where it is out of range.
[[nodiscard]] inline Ticks ticks_at_or_after(double seconds) noexcept {
  return seconds < 9e12 ? static_cast<Ticks>(std::ceil(seconds * 1e6)) : kNever;
}

}  // namespace park::sim
