// A link: when bytes that are given to it have left. Links of a rate send a packet in bytes / rate;
// the rate may change at the ends of segments. Slotted links send at opportunities of 1500 bytes, as
// the emulator Mahimahi does. Segments and opportunities are drawn while time passes. Their
// generator is keyed by the link alone, so they do not depend on what is sent. A simulator and an
// emulator include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "park/core/rng.h"
#include "park/net/packet.h"

namespace park::net {

inline constexpr std::uint32_t kOpportunityBytes = 1500;

/// Times at which one packet of 1500 bytes may leave, in milliseconds, never decreasing; the list
/// begins again at the last time. REQUIRES a last time above 0.
struct Opportunities {
  std::vector<std::uint32_t> ms;

  [[nodiscard]] Nanos period() const noexcept {
    return static_cast<Nanos>(ms.back()) * kMillisecond;
  }
};

/// The rate of a link over time: a mean, times the exponential of a first-order autoregressive
/// process, and 0 during outages. Each step has one rate.
struct LinkConfig {
  double bytes_per_s = 6e6;
  double sigma = 0;            ///< standard deviation of the logarithm; 0: the rate is constant
  double step_s = 0.1;         ///< how long a rate holds
  double correlation_s = 1;    ///< e-folding time of the process
  double outage_share = 0;     ///< of the time
  double outage_mean_s = 0.5;  ///< memoryless
  double least_share = 0.05, most_share = 20;  ///< bounds of rate / mean
  bool poisson = false;                        ///< slotted, with memoryless gaps at the rate
  std::shared_ptr<const Opportunities> opportunities{};  ///< slotted, in place of all that
  double start_share = 0;  ///< of the period at which the opportunities begin, in [0, 1)
};

/// The steps of a link's rate, one after another.
class RateSteps {
 public:
  void reset(const LinkConfig&, Rng);
  [[nodiscard]] double bytes_per_ns() const noexcept { return rate_; }
  [[nodiscard]] Nanos end() const noexcept { return end_; }
  void next() noexcept;

 private:
  void draw() noexcept;

  double mean_ = 0, sigma_ = 0, keep_ = 0, fresh_ = 0, value_ = 0, least_ = 0, most_ = 0;
  double outage_begins_ = 0, outage_ends_ = 1, rate_ = 0;
  Nanos step_ = 0, end_ = kNever;
  bool out_ = false;
  Rng rng_{};
};

class Link {
 public:
  void reset(const LinkConfig&, Rng);
  [[nodiscard]] bool slotted() const noexcept { return slotted_; }
  /// When a packet whose transmission begins at `start` has left a link of a rate. REQUIRES that
  /// starts never decrease.
  [[nodiscard]] Nanos departure(Nanos start, std::uint32_t bytes) noexcept {
    if (steps_.end() == kNever) [[likely]]
      // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative, and a call would be slower
      return start + static_cast<Nanos>(bytes * ns_per_byte_ + 0.5);
    return departure_in_steps(start, bytes);
  }
  /// The first unused opportunity of a slotted link at or after that time; it is used with that.
  /// REQUIRES that times never decrease.
  [[nodiscard]] Nanos opportunity(Nanos at) noexcept;
  /// Bytes that could have left from the time 0 on. REQUIRES that times never decrease. With Poisson
  /// opportunities it is the expectation.
  [[nodiscard]] double capacity(Nanos until) noexcept;
  /// Bytes per second, of the step at the time of the last call of `capacity`; of opportunities the
  /// mean of their list.
  [[nodiscard]] double bytes_per_s() const noexcept;

 private:
  [[nodiscard]] Nanos departure_in_steps(Nanos start, std::uint32_t bytes) noexcept;
  [[nodiscard]] Nanos listed(std::uint64_t index) const noexcept;
  [[nodiscard]] Nanos next_poisson(Nanos at) noexcept;

  RateSteps steps_, past_;  // of what is sent, and of what was counted
  std::shared_ptr<const Opportunities> list_;
  std::uint64_t next_ = 0, counted_ = 0;  // opportunities
  Nanos shift_ = 0, last_ = 0, counted_until_ = 0;
  double counted_bytes_ = 0, ns_per_byte_ = 0;
  bool slotted_ = false;
  Rng gaps_{};
};

}  // namespace park::net
