#pragma once

#include <cstdint>
#include <limits>

namespace park::net {

/// Time of an episode, or of an emulator's clock, in whole nanoseconds.
using Nanos = std::int64_t;

inline constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
inline constexpr Nanos kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

[[nodiscard]] inline double to_seconds(Nanos t) noexcept { return static_cast<double>(t) * 1e-9; }
/// The nearest nanosecond; kNever beyond 2^62 ns (146 years). REQUIRES a time of 0 or more.
[[nodiscard]] inline Nanos to_nanos(double seconds) noexcept {
  const double ns = seconds * 1e9;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative, and a call would be slower
  return ns < 4.6e18 ? static_cast<Nanos>(ns + 0.5) : kNever;
}

/// The bits of the IP header (RFC 3168, RFC 9331).
enum class Ecn : std::uint8_t { not_capable = 0, ect1 = 1, ect0 = 2, ce = 3 };

/// What a queue and a link have to know of a packet. An emulator finds its bytes by `number`.
struct Packet {
  std::uint64_t number = 0;  ///< within the flow, or of the caller's buffer
  Nanos enqueued = 0;        ///< when the queue took it
  std::uint32_t flow = 0;
  std::uint16_t bytes = 1500;
  Ecn ecn = Ecn::not_capable;
};

}  // namespace park::net
