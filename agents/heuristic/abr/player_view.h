#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "park/core/batch.h"
#include "park/core/stream.h"

namespace park::heuristics {

/// The leaves of abr that its policies read, and the head that they write.
struct PlayerView {
  /// Throws Error{invalid_space} where the environment has another layout.
  explicit PlayerView(const Spec&);

  Field<double> rate_mbps, score;  // [rates]
  Field<double> stall_penalty, chunk_s, capacity_s, buffer_s;
  Field<double> throughput_mbps;          // [past], oldest first
  Field<float> bytes, later_bytes, left;  // [rates], [later, rates], []
  Field<std::int32_t> last;
  Field<std::int32_t> quality;
  std::size_t rates, past, ahead;  ///< ahead: chunks whose sizes are known
};

/// The harmonic mean of the last `n` values that are there, those above 0; 0 without one.
[[nodiscard]] double harmonic_mean(std::span<const double> values, std::size_t n) noexcept;

/// The highest rate that does not exceed a throughput, or the lowest one.
[[nodiscard]] std::int32_t highest_rate(std::span<const double> rate_mbps, double mbps) noexcept;

}  // namespace park::heuristics
