#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/net/packet.h"

namespace park::net {

/// Which of n sources has the next event: a tournament, in which a source that changes its time plays
/// log2 n matches again. The lower source is first where times are equal.
class FirstOf {
 public:
  void reset(std::size_t n) {
    places_ = std::bit_ceil(n < 1 ? 1 : n);
    times_.assign(places_, kNever);
    winners_.resize(2 * places_);
    for (std::size_t i = 0; i < places_; ++i) winners_[places_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = places_ - 1; i > 0; --i) winners_[i] = winners_[2 * i];
    winners_[0] = 0;
    source_ = 0;
    time_ = kNever;
  }
  void set(std::uint32_t source, Nanos time) noexcept {
    Nanos* const times = times_.data();
    std::uint32_t* const winners = winners_.data();
    times[source] = time;
    for (std::size_t i = (places_ + source) / 2; i > 0; i /= 2) {
      const std::uint32_t a = winners[2 * i], b = winners[2 * i + 1];
      winners[i] = times[b] < times[a] ? b : a;
    }
    source_ = winners[places_ == 1 ? 0 : 1];
    time_ = times[source_];
  }
  [[nodiscard]] std::uint32_t source() const noexcept { return source_; }
  [[nodiscard]] Nanos time() const noexcept { return time_; }

 private:
  std::vector<Nanos> times_;
  std::vector<std::uint32_t> winners_;
  std::size_t places_ = 1;
  std::uint32_t source_ = 0;
  Nanos time_ = kNever;
};

}  // namespace park::net
