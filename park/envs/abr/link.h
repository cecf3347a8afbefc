#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/envs/abr/network_trace.h"

namespace park::abr {

inline constexpr double kBytesPerMegabit = 1e6 / 8;

/// Where a link is in its trace: in interval `interval`, at `at_s` of the trace's time.
struct LinkPosition {
  std::size_t interval = 1;
  double at_s = 0;
};

/// A link whose bandwidth follows a trace, again and again: after the last interval comes interval
/// 1, from time 0. What the trace says is in the terms of NetworkTrace. Source: H. Mao, R.
/// Netravali, M. Alizadeh, "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017, the
/// simulator of its artifact. Immutable.
class Link {
 public:
  explicit Link(const NetworkTrace&);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Intervals are 1 .. intervals().
  [[nodiscard]] std::size_t intervals() const noexcept { return end_s_.size() - 1; }
  /// The beginning of an interval.
  [[nodiscard]] LinkPosition start(std::size_t interval) const noexcept {
    return {interval, end_s_[interval - 1]};
  }
  [[nodiscard]] double mbps(std::size_t interval) const noexcept;
  /// Time left in the interval of a position.
  [[nodiscard]] double left_s(const LinkPosition& p) const noexcept {
    return end_s_[p.interval] - p.at_s;
  }

  /// Moves on until so many bytes are through, where a part `payload` of the bandwidth is theirs;
  /// returns the seconds that takes.
  double transfer(LinkPosition&, double bytes, double payload) const noexcept;
  /// Moves on by some seconds.
  void pass(LinkPosition&, double seconds) const noexcept;
  /// Goes to the beginning of the next interval.
  void next(LinkPosition& p) const noexcept {
    p.at_s = end_s_[p.interval];
    if (++p.interval < end_s_.size()) return;
    p = {1, 0};
  }

 private:
  std::string name_;
  std::vector<double> end_s_;        // of each interval; [0] is the beginning of the first
  std::vector<double> bytes_per_s_;  // of each interval; [0] is unused
  double round_bytes_ = 0;           // of all intervals, at a payload of 1
};

}  // namespace park::abr
