// A policer stands before the queue and drops what exceeds a rate. A simulator and an emulator include
// this header.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "park/net/packet.h"

namespace park::net {

struct PolicerParameters {
  double bytes_per_s = 0;  ///< 0: none
  double burst_bytes = 0;  ///< that may pass at once; at least one packet
};

/// A token bucket that drops and does not wait (RFC 2475, section 2.3.3.4). Providers enforce rates so
/// (T. Flach et al., "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016). It begins full.
class Policer {
 public:
  explicit Policer(const PolicerParameters& p = {}) noexcept
      : rate_(p.bytes_per_s * 1e-9), burst_(p.burst_bytes), tokens_(p.burst_bytes) {}

  [[nodiscard]] bool active() const noexcept { return rate_ > 0; }
  /// Whether a packet passes; it does where it finds as many tokens as it has bytes. REQUIRES that times
  /// never decrease.
  [[nodiscard]] bool admit(std::uint32_t bytes, Nanos now) noexcept {
    tokens_ = std::min(burst_, tokens_ + rate_ * static_cast<double>(now - last_));
    last_ = now;
    if (tokens_ < bytes) return false;
    tokens_ -= bytes;
    return true;
  }
  /// The first time from `now` on at which a packet passes, if no other comes before.
  [[nodiscard]] Nanos admits_at(std::uint32_t bytes, Nanos now) const noexcept {
    const double missing = bytes - tokens_ - rate_ * static_cast<double>(now - last_);
    return missing <= 0 ? now : now + static_cast<Nanos>(std::ceil(missing / rate_));
  }
  /// Bytes that could have passed from the time 0 on.
  [[nodiscard]] double capacity(Nanos until) const noexcept {
    return burst_ + rate_ * static_cast<double>(until);
  }
  [[nodiscard]] double bytes_per_s() const noexcept { return rate_ * 1e9; }

 private:
  double rate_ = 0, burst_ = 0, tokens_ = 0;
  Nanos last_ = 0;
};

}  // namespace park::net
