// The life of a packet at its sender: send notes when it left and what had been delivered then; on_ack
// resolves it, measures, finds what three later packets have overtaken and tells the sender; on_timeout
// gives up all that is outstanding. Simulator calls them.
#include "park/net/transport.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace park::net {

void Transport::open(Sender sender, const Control& control) noexcept {
  sender_ = sender;
  control_ = control;
  lowest_ = highest_ = recovery_end_ = next_;
  inflight_ = delivered_ = round_mark_ = app_limited_until_ = 0;
  delivered_at_ = first_sent_ = 0;
  timeout_ = kNever;
  smooth_rtt_s_ = deviation_s_ = least_rtt_s_ = last_rtt_s_ = rate_ = 0;
  backoff_ = 1;
}

void Transport::reset() noexcept {
  next_ = 0;
  counts_ = {};
  open(Fixed(), Control());
}

void Transport::grow() {
  std::vector<Sent> larger(sent_.empty() ? 64 : 2 * sent_.size());
  const std::uint64_t mask = larger.size() - 1;
  for (std::uint64_t n = lowest_; n < next_; ++n) larger[n & mask] = at(n);
  sent_ = std::move(larger);
  mask_ = mask;
}

std::uint64_t Transport::send(Nanos now) {
  if (next_ - lowest_ >= mask_ + 1) [[unlikely]]
    grow();
  if (inflight_ == 0) {
    first_sent_ = delivered_at_ = now;
    const double wait_s = smooth_rtt_s_ > 0
                              ? std::max(smooth_rtt_s_ + 4 * deviation_s_, kLeastTimeoutS)
                              : kFirstTimeoutS;
    timeout_ = now + to_nanos(std::min(backoff_ * wait_s, kMostTimeoutS));
  }
  at(next_) = {.sent = now,
               .first_sent = first_sent_,
               .delivered_at = delivered_at_,
               .delivered = delivered_,
               .outstanding = true,
               .received = false,
               .app_limited = app_limited_until_ > 0};
  inflight_ += 1;
  counts_.sent += 1;
  return next_++;
}

void Transport::resolve(Sent& s, Nanos now) noexcept {
  s.outstanding = false;
  inflight_ -= 1;
  delivered_ += 1;
  delivered_at_ = now;
  first_sent_ = s.sent;
}

/// Packets that three later ones have overtaken; returns how many.
double Transport::detect_losses() noexcept {
  double lost = 0;
  while (lowest_ < next_) {
    Sent& s = at(lowest_);
    if (s.outstanding) {
      if (lowest_ + kReordering > highest_) break;
      s.outstanding = false;
      inflight_ -= 1;
      lost += 1;
      last_lost_ = lowest_;
    } else if (lowest_ > highest_) {
      break;
    }
    ++lowest_;
  }
  counts_.lost += lost;
  return lost;
}

void Transport::on_ack(const AckRecord& r, Nanos now) noexcept {
  Ack ack{.now = now, .marked = static_cast<double>(r.marked), .before = inflight_};
  std::uint64_t newest = 0;
  const std::uint64_t first = std::max(r.alone ? r.number : r.from, lowest_);
  for (std::uint64_t n = first; n <= r.number && n < next_; ++n) {
    Sent& s = at(n);
    if (!s.outstanding || !(s.received || r.alone)) continue;
    resolve(s, now);
    ack.acked += 1;
    newest = n;
  }
  if (ack.acked == 0) [[unlikely]] {  // what was taken for lost came after all
    counts_.spurious += 1;
    return;
  }
  measure(at(newest), now, ack);
  highest_ = std::max(highest_, newest);
  ack.lost = detect_losses();
  if (inflight_ == 0) timeout_ = kNever;
  ack.inflight = inflight_;
  ack.recovering = newest < recovery_end_;
  counts_.acked += ack.acked;
  counts_.marked += ack.marked;
  const bool lost_anew = ack.lost > 0 && last_lost_ >= recovery_end_;
  const bool congested = lost_anew || (ack.marked > 0 && !ack.recovering);
  tell(ack);
  if (!congested) return;
  recovery_end_ = next_;
  std::visit([&](auto& s) { s.on_congestion(ack, control_); }, sender_);
}

void Transport::tell(const Ack& ack) noexcept {
  std::visit([&](auto& s) { s.on_ack(ack, control_); }, sender_);
}

/// Round trip (RFC 6298), delivery rate (draft-cheng-iccrg-delivery-rate-estimation), time-out.
void Transport::measure(const Sent& newest, Nanos now, Ack& ack) noexcept {
  const double rtt_s = to_seconds(now - newest.sent);
  last_rtt_s_ = rtt_s;
  if (smooth_rtt_s_ == 0) {
    smooth_rtt_s_ = least_rtt_s_ = rtt_s;
    deviation_s_ = rtt_s / 2;
  } else {
    constexpr double kClockS = 1e-9;  // without it a constant round trip ends in denormal numbers
    deviation_s_ += (std::abs(smooth_rtt_s_ - rtt_s) - deviation_s_) / 4;
    deviation_s_ = std::max(deviation_s_, kClockS);
    smooth_rtt_s_ += (rtt_s - smooth_rtt_s_) / 8;
    least_rtt_s_ = std::min(least_rtt_s_, rtt_s);
  }
  counts_.rtt_sum_s += rtt_s;
  counts_.rtt_count += 1;
  const Nanos interval = std::max(now - newest.delivered_at, newest.sent - newest.first_sent);
  if (interval > 0) rate_ = (delivered_ - newest.delivered) / to_seconds(interval);
  if (delivered_ > app_limited_until_) app_limited_until_ = 0;
  if (newest.delivered >= round_mark_) {
    round_mark_ = delivered_;
    ack.round = true;
  }
  backoff_ = 1;
  timeout_ = now + to_nanos(std::max(smooth_rtt_s_ + 4 * deviation_s_, kLeastTimeoutS));
  ack.rtt_s = rtt_s;
  ack.least_rtt_s = least_rtt_s_;
  ack.smooth_rtt_s = smooth_rtt_s_;
  ack.rate = interval > 0 ? rate_ : 0;
  ack.delivered = delivered_;
  ack.app_limited = newest.app_limited;
  ack.window_limited = ack.before + 1 > control_.window;
}

void Transport::on_timeout(Nanos now) noexcept {
  Ack ack{.now = now,
          .rtt_s = last_rtt_s_,
          .least_rtt_s = least_rtt_s_,
          .smooth_rtt_s = smooth_rtt_s_,
          .lost = inflight_,
          .before = inflight_,
          .delivered = delivered_};
  counts_.lost += inflight_;
  counts_.timeouts += 1;
  lowest_ = highest_ = recovery_end_ = next_;
  inflight_ = 0;
  backoff_ = std::min(2 * backoff_, 64.0);
  timeout_ = kNever;
  std::visit([&](auto& s) { s.on_timeout(ack, control_); }, sender_);
}

}  // namespace park::net
