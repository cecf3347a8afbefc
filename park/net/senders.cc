// Windows and rates of the classic senders, as their documents have them: SlowStart is shared by
// those with a window, Bbr is the state machine of its draft. Transport calls on_ack for every
// acknowledgement, on_congestion once per window with a loss or a mark, on_timeout alone.
#include "park/net/senders.h"

#include <algorithm>
#include <cmath>

namespace park::net {

void WindowedMax::update(double value, double time, double window) noexcept {
  const Sample s{value, time};
  if (!filled_ || value >= best_[0].value || time - best_[2].time > window) {
    best_.fill(s);
    filled_ = true;
    return;
  }
  if (value >= best_[1].value)
    best_[1] = best_[2] = s;
  else if (value >= best_[2].value)
    best_[2] = s;
  if (time - best_[0].time > window) {
    best_ = {best_[1], best_[2], s};
    if (time - best_[0].time > window) best_ = {best_[1], s, s};
  } else if (best_[1].time == best_[0].time && time - best_[1].time > window / 4) {
    best_[1] = best_[2] = s;
  } else if (best_[2].time == best_[1].time && time - best_[2].time > window / 2) {
    best_[2] = s;
  }
}

void SlowStart::grow(const Ack& a, double& window) noexcept {
  constexpr double kCautiousDivisor = 4;
  window += cautious_ ? a.acked / kCautiousDivisor : a.acked;
  if (hystart_) look_at_delay(a, window);
}

/// RFC 9406, section 4.2: a rise of the round's delay begins conservative slow start, which ends slow
/// start after five rounds unless the delay falls again.
void SlowStart::look_at_delay(const Ack& a, double window) noexcept {
  constexpr double kLeastS = 0.004, kMostS = 0.016;
  constexpr int kSamples = 8, kRounds = 5;
  if (a.round) {
    last_round_s_ = this_round_s_;
    this_round_s_ = std::numeric_limits<double>::infinity();
    samples_ = 0;
    if (cautious_ && ++cautious_rounds_ >= kRounds) threshold_ = window;
  }
  this_round_s_ = std::min(this_round_s_, a.rtt_s);
  if (++samples_ < kSamples || !std::isfinite(last_round_s_)) return;
  if (!cautious_) {
    const double rise_s = std::clamp(last_round_s_ / 8, kLeastS, kMostS);
    if (this_round_s_ < last_round_s_ + rise_s) return;
    cautious_ = true;
    baseline_s_ = this_round_s_;
    cautious_rounds_ = 0;
  } else if (this_round_s_ < baseline_s_) {
    cautious_ = false;
  }
}

void Reno::on_ack(const Ack& a, Control& c) noexcept {
  if (a.recovering || !a.window_limited) return;
  if (start_.active(c.window))
    start_.grow(a, c.window);
  else
    c.window += a.acked / c.window;
}

void Reno::on_congestion(const Ack&, Control& c) noexcept {
  c.window = std::max(c.window * p_.beta, kLeastWindow);
  start_.leave_at(c.window);
}

void Reno::on_timeout(const Ack& a, Control& c) noexcept {
  start_.leave_at(std::max(a.before * p_.beta, kLeastWindow));
  c.window = 1;
}

void Dctcp::on_ack(const Ack& a, Control& c) noexcept {
  constexpr double kGain = 1.0 / 16;
  acked_ += a.acked;
  marked_ += a.marked;
  if (a.round && acked_ > 0) {
    alpha_ += kGain * (marked_ / acked_ - alpha_);
    acked_ = marked_ = 0;
  }
  if (a.recovering || !a.window_limited) return;
  if (start_.active(c.window))
    start_.grow(a, c.window);
  else
    c.window += a.acked / c.window;
}

void Dctcp::on_congestion(const Ack& a, Control& c) noexcept {
  const double factor = a.lost > 0 ? 0.5 : 1 - alpha_ / 2;
  c.window = std::max(c.window * factor, kLeastWindow);
  start_.leave_at(c.window);
}

void Dctcp::on_timeout(const Ack& a, Control& c) noexcept {
  start_.leave_at(std::max(a.before / 2, kLeastWindow));
  c.window = 1;
}

void Cubic::on_ack(const Ack& a, Control& c) noexcept {
  if (a.recovering || !a.window_limited) return;
  if (start_.active(c.window))
    start_.grow(a, c.window);
  else
    grow(a, c.window);
}

/// Sections 4.2 to 4.5.
void Cubic::grow(const Ack& a, double& window) noexcept {
  if (epoch_ < 0) {
    epoch_ = a.now;
    if (most_ < window) most_ = window;
    period_s_ = std::cbrt((most_ - window) / p_.c);
    estimate_ = window;
  }
  const double t = to_seconds(a.now - epoch_);
  const auto cubic = [&](double s) {
    const double d = s - period_s_;
    return p_.c * d * d * d + most_;
  };
  const double alpha = estimate_ >= before_ ? 1 : 3 * (1 - p_.beta) / (1 + p_.beta);
  estimate_ += alpha * a.acked / window;
  if (cubic(t) < estimate_) {
    window = std::max(window, estimate_);
    return;
  }
  const double goal = std::clamp(cubic(t + a.smooth_rtt_s), window, 1.5 * window);
  window += (goal - window) / window * a.acked;
}

/// Fast convergence, section 4.7.
void Cubic::shrink(double window) noexcept {
  before_ = window;
  most_ = window < most_ ? window * (1 + p_.beta) / 2 : window;
  epoch_ = -1;
}

void Cubic::on_congestion(const Ack&, Control& c) noexcept {
  shrink(c.window);
  c.window = std::max(c.window * p_.beta, kLeastWindow);
  start_.leave_at(c.window);
}

void Cubic::on_timeout(const Ack& a, Control& c) noexcept {
  shrink(c.window);
  start_.leave_at(std::max(a.before * p_.beta, kLeastWindow));
  c.window = 1;
}

/// In slow start the window grows in every other round, so that the round between shows what it queues.
void Vegas::on_ack(const Ack& a, Control& c) noexcept {
  round_rtt_s_ = std::min(round_rtt_s_, a.rtt_s);
  if (a.recovering) return;
  const bool starting = start_.active(c.window);
  if (!a.round) {
    if (starting && grows_ && a.window_limited) start_.grow(a, c.window);
    return;
  }
  grows_ = !grows_;
  const double queued = c.window * (round_rtt_s_ - a.least_rtt_s) / round_rtt_s_;
  round_rtt_s_ = std::numeric_limits<double>::infinity();
  if (starting) {
    if (queued > p_.gamma) {
      c.window = std::max(c.window - queued, kLeastWindow);
      start_.leave_at(c.window);
    }
    return;
  }
  if (queued < p_.alpha) {
    c.window += 1;
  } else if (queued > p_.beta) {
    c.window = std::max(c.window - 1, kLeastWindow);
    start_.leave_at(c.window);
  }
}

void Vegas::on_congestion(const Ack&, Control& c) noexcept {
  c.window = std::max(c.window / 2, kLeastWindow);
  start_.leave_at(c.window);
}

void Vegas::on_timeout(const Ack& a, Control& c) noexcept {
  start_.leave_at(std::max(a.before / 2, kLeastWindow));
  c.window = 1;
}

void Copa::on_ack(const Ack& a, Control& c) noexcept {
  constexpr double kLeastWindowS = 10, kMostRounds = 4;
  const double now_s = to_seconds(a.now);
  least_.update(-a.rtt_s, now_s, kLeastWindowS);
  standing_.update(-a.rtt_s, now_s, a.smooth_rtt_s / 2);
  most_.update(a.rtt_s, now_s, kMostRounds * a.smooth_rtt_s);
  const double standing_s = -standing_.best(), queue_s = standing_s + least_.best();
  least_queue_s_ = std::min(least_queue_s_, queue_s);
  acked_ += a.acked;
  lost_ += a.lost;
  if (a.round) {
    choose_mode();
    back_off(c);
  }
  const double aim = queue_s > 0 ? 1 / (delta_ * queue_s) : std::numeric_limits<double>::infinity();
  const bool up = c.window / standing_s <= aim;
  if (starting_ && up) {
    c.window += a.acked;
  } else {
    starting_ = false;
    if (a.round) turn(up, c.window);
    if (up != up_) velocity_ = 1;
    const double step = velocity_ / delta_ * a.acked / c.window;
    c.window = std::max(c.window + (up ? step : -step), kLeastWindow);
  }
  c.pacing = 2 * c.window / standing_s;
}

/// Once per round: the velocity doubles once the window has moved in one direction for three rounds.
void Copa::turn(bool up, double window) noexcept {
  const bool rose = window > window_at_round_;
  window_at_round_ = window;
  if (rose == up_ && up == up_) {
    if (++same_rounds_ >= 3) velocity_ = std::min(2 * velocity_, 1e6);
  } else {
    velocity_ = 1;
    same_rounds_ = 0;
  }
  up_ = rose;
}

void Copa::back_off(Control& c) noexcept {
  if (lost_ > acked_) {
    c.window = std::max(c.window / 2, kLeastWindow);
    starting_ = false;
    velocity_ = 1;
    same_rounds_ = 0;
  }
  acked_ = lost_ = 0;
}

/// Section 2.2: senders that fill the queue are there if it was never nearly empty for five rounds.
void Copa::choose_mode() noexcept {
  constexpr double kNearlyEmpty = 0.1;
  constexpr int kRounds = 5;
  const double range_s = most_.best() + least_.best();
  rounds_since_empty_ = least_queue_s_ < kNearlyEmpty * range_s ? 0 : rounds_since_empty_ + 1;
  least_queue_s_ = std::numeric_limits<double>::infinity();
  const bool compete = p_.competitive && !starting_ && rounds_since_empty_ >= kRounds;
  if (!compete || !competing_)
    delta_ = p_.delta;
  else if (lost_in_round_)
    delta_ = std::min(2 * delta_, p_.delta);
  else
    delta_ = 1 / (1 / delta_ + 1);
  competing_ = compete;
  lost_in_round_ = false;
}

void Copa::on_congestion(const Ack&, Control&) noexcept { lost_in_round_ = true; }

void Copa::on_timeout(const Ack&, Control& c) noexcept {
  c.window = kLeastWindow;
  velocity_ = 1;
  same_rounds_ = 0;
}

namespace {

constexpr double kHighGain = 2.885;  // 2 / ln 2
constexpr double kBbrLeastWindow = 4, kBandwidthRounds = 10;
constexpr Nanos kRttWindow = 10 * kSecond, kProbeRtt = 200 * kMillisecond;
constexpr int kPhases = 8;

}  // namespace

double Bbr::bdp(double gain) const noexcept {
  return rtt_s_ > 0 ? gain * bandwidth_.best() * rtt_s_ : gain * kInitialWindow;
}

double Bbr::target(double gain, const Control& c) const noexcept {
  return std::max(std::ceil(bdp(gain)) + 3 * c.quantum, kBbrLeastWindow);
}

void Bbr::on_ack(const Ack& a, Control& c) noexcept {
  update_model(a);
  check_full_pipe(a);
  update_mode(a, c);
  update_probe_rtt(a, c);
  set_pacing(a, c);
  set_window(a, c);
}

void Bbr::update_model(const Ack& a) noexcept {
  rounds_ += a.round;
  if (a.rate > 0 && (!a.app_limited || a.rate >= bandwidth_.best()))
    bandwidth_.update(a.rate, rounds_, kBandwidthRounds);
  expired_ = a.now > rtt_stamp_ + kRttWindow;
  if (rtt_s_ == 0 || a.rtt_s <= rtt_s_ || expired_) {
    rtt_s_ = a.rtt_s;
    rtt_stamp_ = a.now;
  }
}

void Bbr::check_full_pipe(const Ack& a) noexcept {
  constexpr double kGrowth = 1.25;
  constexpr int kRounds = 3;
  if (filled_ || !a.round || a.app_limited) return;
  if (bandwidth_.best() >= full_bandwidth_ * kGrowth) {
    full_bandwidth_ = bandwidth_.best();
    full_rounds_ = 0;
  } else {
    filled_ = ++full_rounds_ >= kRounds;
  }
}

void Bbr::update_mode(const Ack& a, Control& c) noexcept {
  if (mode_ == Mode::startup && filled_) {
    mode_ = Mode::drain;
    gain_ = 1 / kHighGain;
    window_gain_ = kHighGain;
  }
  if (mode_ == Mode::drain && a.inflight <= bdp(1)) probe_bandwidth(a.now);
  if (mode_ == Mode::probe_bandwidth) advance_phase(a, c);
}

/// Begins with any phase but the one that drains.
void Bbr::probe_bandwidth(Nanos now) noexcept {
  mode_ = Mode::probe_bandwidth;
  window_gain_ = p_.window_gain;
  const auto drawn = static_cast<int>(rng_.below(kPhases - 1));
  phase_ = drawn == 0 ? 0 : drawn + 1;
  gain_ = phase_ == 0 ? p_.probe_gain : 1;
  phase_begin_ = now;
}

void Bbr::advance_phase(const Ack& a, const Control& c) noexcept {
  const bool long_enough = to_seconds(a.now - phase_begin_) > rtt_s_;
  bool next = long_enough;
  if (gain_ > 1) next = long_enough && (a.lost > 0 || a.before >= target(gain_, c));
  if (gain_ < 1) next = long_enough || a.before <= target(1, c);
  if (!next) return;
  phase_ = (phase_ + 1) % kPhases;
  phase_begin_ = a.now;
  gain_ = phase_ == 0 ? p_.probe_gain : phase_ == 1 ? 2 - p_.probe_gain : 1;
}

void Bbr::update_probe_rtt(const Ack& a, Control& c) noexcept {
  if (mode_ != Mode::probe_rtt) {
    if (!expired_) return;
    mode_ = Mode::probe_rtt;
    gain_ = window_gain_ = 1;
    saved_window_ = std::max(saved_window_, c.window);
    probe_rtt_done_ = 0;
    return;
  }
  if (probe_rtt_done_ == 0) {
    if (a.inflight > kBbrLeastWindow) return;
    probe_rtt_done_ = a.now + kProbeRtt;
    probe_rtt_round_ = false;
    return;
  }
  probe_rtt_round_ = probe_rtt_round_ || a.round;
  if (!probe_rtt_round_ || a.now < probe_rtt_done_) return;
  rtt_stamp_ = a.now;
  c.window = std::max(c.window, saved_window_);
  saved_window_ = 0;
  if (filled_) return probe_bandwidth(a.now);
  mode_ = Mode::startup;
  gain_ = window_gain_ = kHighGain;
}

void Bbr::set_pacing(const Ack& a, Control& c) const noexcept {
  constexpr double kMargin = 0.99, kPacketBits = 12000;
  constexpr double kSlow = 1.2e6 / kPacketBits, kMedium = 24e6 / kPacketBits;
  double rate = gain_ * bandwidth_.best() * kMargin;
  if (!bandwidth_.filled()) rate = kHighGain * kInitialWindow / a.smooth_rtt_s;
  if (filled_ || rate > c.pacing || c.pacing == kUnpaced) c.pacing = rate;
  c.quantum = c.pacing < kSlow     ? 1
              : c.pacing < kMedium ? 2
                                   : std::clamp(c.pacing * 1e-3, 2.0, 43.0);
}

/// In the first round of a recovery no more leaves than is acknowledged; afterwards the window comes
/// back to what it was.
void Bbr::set_window(const Ack& a, Control& c) noexcept {
  const double aim = target(window_gain_, c);
  if (recovering_ && !a.recovering) {
    recovering_ = conserving_ = false;
    c.window = std::max(c.window, saved_window_);
    saved_window_ = 0;
  }
  if (conserving_ && a.round) conserving_ = false;
  if (a.lost > 0) c.window = std::max(c.window - a.lost, 1.0);
  if (conserving_)
    c.window = std::max(c.window, a.inflight + a.acked);
  else if (filled_)
    c.window = std::min(c.window + a.acked, aim);
  else if (c.window < aim || a.delivered < kInitialWindow)
    c.window += a.acked;
  c.window = std::max(c.window, kBbrLeastWindow);
  if (mode_ == Mode::probe_rtt) c.window = std::min(c.window, kBbrLeastWindow);
}

void Bbr::on_congestion(const Ack& a, Control& c) noexcept {
  if (a.lost == 0) return;  // marks say nothing to this version
  if (!recovering_) saved_window_ = std::max(saved_window_, c.window);
  recovering_ = conserving_ = true;
  c.window = std::max(a.inflight + a.acked, kBbrLeastWindow);
}

void Bbr::on_timeout(const Ack&, Control& c) noexcept {
  if (!recovering_) saved_window_ = std::max(saved_window_, c.window);
  recovering_ = true;
  conserving_ = false;
  c.window = 1;
}

Sender make_sender(SenderKind kind, double first, double second, Rng rng) {
  const auto or_default = [](double given, double standard) {
    return given > 0 ? given : standard;
  };
  switch (kind) {
    case SenderKind::reno:
      return Reno({.beta = or_default(first, RenoParameters().beta)});
    case SenderKind::cubic:
      return Cubic({.c = or_default(second, CubicParameters().c),
                    .beta = or_default(first, CubicParameters().beta)});
    case SenderKind::vegas: {
      const double alpha = or_default(first, VegasParameters().alpha);
      return Vegas({.alpha = alpha,
                    .beta = 2 * alpha,
                    .gamma = or_default(second, VegasParameters().gamma)});
    }
    case SenderKind::copa:
      return Copa({.delta = or_default(first, CopaParameters().delta)});
    case SenderKind::bbr:
      return Bbr({.window_gain = or_default(first, BbrParameters().window_gain),
                  .probe_gain = or_default(second, BbrParameters().probe_gain)},
                 rng);
    case SenderKind::dctcp:
      return Dctcp();
    case SenderKind::fixed:
      break;
  }
  return Fixed();
}

}  // namespace park::net
