#include "park/envs/abr/link.h"

#include <cmath>

namespace park::abr {
namespace {}  // namespace

Link::Link(const NetworkTrace& t) : name_(t.name), end_s_(t.time_s), bytes_per_s_(t.mbps) {
  for (double& rate : bytes_per_s_) rate *= kBytesPerMegabit;
  double begin_s = 0;
  for (std::size_t i = 1; i < end_s_.size(); begin_s = end_s_[i++])
    round_bytes_ += bytes_per_s_[i] * (end_s_[i] - begin_s);
}

double Link::mbps(std::size_t interval) const noexcept {
  return bytes_per_s_[interval] / kBytesPerMegabit;
}

double Link::transfer(LinkPosition& p, double bytes, double payload) const noexcept {
  double sent = 0, taken_s = 0;
  for (;;) {
    const double rate = bytes_per_s_[p.interval], duration_s = left_s(p);
    const double part = rate * duration_s * payload;
    if (sent + part > bytes) {
      const double rest_s = (bytes - sent) / rate / payload;
      p.at_s += rest_s;
      return taken_s + rest_s;
    }
    sent += part;
    taken_s += duration_s;
    next(p);
    if (p.interval == 1 && bytes - sent > 2 * round_bytes_ * payload) [[unlikely]] {
      // Whole rounds at once: a short trace and a large chunk would need any number of them.
      const double rounds = std::floor((bytes - sent) / (round_bytes_ * payload)) - 1;
      sent += rounds * round_bytes_ * payload;
      taken_s += rounds * end_s_.back();
    }
  }
}

void Link::pass(LinkPosition& p, double seconds) const noexcept {
  for (;;) {
    const double duration_s = left_s(p);
    if (duration_s > seconds) {
      p.at_s += seconds;
      return;
    }
    seconds -= duration_s;
    next(p);
    if (p.interval == 1 && seconds > end_s_.back()) [[unlikely]]
      seconds = std::fmod(seconds, end_s_.back());
  }
}

}  // namespace park::abr
