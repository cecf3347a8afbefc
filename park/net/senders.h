// Congestion controls of senders, driven by acknowledgements. A Transport (transport.h) detects
// losses and counts rounds. It informs a sender of each ack, of the first loss or mark of a window,
// and of time-outs. A sender answers with a window and a pacing rate. Windows are in packets, rates
// in packets per second, times in seconds where they are durations.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <variant>

#include "park/core/rng.h"
#include "park/net/packet.h"

namespace park::net {

inline constexpr double kUnpaced = std::numeric_limits<double>::infinity();
inline constexpr double kInitialWindow = 10;  ///< RFC 6928
inline constexpr double kLeastWindow = 2;

/// What an acknowledgement says, and what the transport knows then.
struct Ack {
  Nanos now = 0;
  double rtt_s = 0;        ///< of the newest packet that it acknowledges
  double least_rtt_s = 0;  ///< of the connection
  double smooth_rtt_s = 0;
  double acked = 0, marked = 0, lost = 0;  ///< packets, by this ack
  double inflight = 0, before = 0;         ///< packets after and before it
  double rate = 0;              ///< delivery rate of the newest packet, packets/s; 0: none
  double delivered = 0;         ///< packets since the begin
  bool app_limited = false;     ///< that rate is a lower bound: the sender had nothing to send
  bool round = false;           ///< the first ack of a round trip
  bool recovering = false;      ///< a packet of the window with the last loss is outstanding
  bool window_limited = false;  ///< the window was full before this ack
};

/// What a sender may do.
struct Control {
  double window = kInitialWindow;
  double pacing = kUnpaced;
  double quantum = 1;  ///< packets that leave at once when paced
};

/// The largest value of a sliding window, by the three best of its parts: K. Nichols's filter, as in
/// Linux's win_minmax. Time is any number that never decreases. With negated values it is the least.
class WindowedMax {
 public:
  void clear() noexcept { filled_ = false; }
  void update(double value, double time, double window) noexcept;
  [[nodiscard]] double best() const noexcept { return filled_ ? best_[0].value : 0; }
  [[nodiscard]] bool filled() const noexcept { return filled_; }

 private:
  struct Sample {
    double value = 0, time = 0;
  };
  std::array<Sample, 3> best_{};
  bool filled_ = false;
};

/// The part of slow start that window-based senders share, with HyStart++ (RFC 9406) if wanted.
class SlowStart {
 public:
  void reset(bool hystart) noexcept { *this = {}, hystart_ = hystart; }
  [[nodiscard]] bool active(double window) const noexcept { return window < threshold_; }
  void leave_at(double window) noexcept { threshold_ = window; }
  /// REQUIRES active.
  void grow(const Ack&, double& window) noexcept;

 private:
  void look_at_delay(const Ack&, double window) noexcept;

  double threshold_ = std::numeric_limits<double>::infinity();
  double last_round_s_ = std::numeric_limits<double>::infinity();
  double this_round_s_ = last_round_s_, baseline_s_ = last_round_s_;
  int samples_ = 0, cautious_rounds_ = 0;
  bool hystart_ = false, cautious_ = false;
};

/// RFC 5681, with the window that a loss leaves as a parameter.
struct RenoParameters {
  double beta = 0.5;
};
class Reno {
 public:
  explicit Reno(const RenoParameters& p = RenoParameters()) noexcept : p_(p) {
    start_.reset(false);
  }
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;

 private:
  RenoParameters p_;
  SlowStart start_;
};

/// DCTCP, RFC 8257: the window falls with the share of marked packets. It needs queues that mark at a
/// low threshold, such as the L queue of DualPI2.
class Dctcp {
 public:
  Dctcp() noexcept { start_.reset(false); }
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;

 private:
  SlowStart start_;
  double alpha_ = 1, acked_ = 0, marked_ = 0;
};

/// CUBIC, RFC 9438.
struct CubicParameters {
  double c = 0.4, beta = 0.7;
  bool hystart = true;
};
class Cubic {
 public:
  explicit Cubic(const CubicParameters& p = CubicParameters()) noexcept : p_(p) {
    start_.reset(p.hystart);
  }
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;

 private:
  void grow(const Ack&, double& window) noexcept;
  void shrink(double window) noexcept;

  CubicParameters p_;
  SlowStart start_;
  double most_ = 0, before_ = 0, period_s_ = 0, estimate_ = 0;
  Nanos epoch_ = -1;
};

/// L. Brakmo, L. Peterson, "TCP Vegas: End to end congestion avoidance on a global Internet", IEEE
/// JSAC 13(8), 1995, section IV. The parameters alpha and beta are packets in the queue.
struct VegasParameters {
  double alpha = 2, beta = 4, gamma = 1;
};
class Vegas {
 public:
  explicit Vegas(const VegasParameters& p = VegasParameters()) noexcept : p_(p) {
    start_.reset(false);
  }
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;

 private:
  VegasParameters p_;
  SlowStart start_;
  double round_rtt_s_ = std::numeric_limits<double>::infinity();
  bool grows_ = true;
};

/// V. Arun, H. Balakrishnan, "Copa: Practical delay-based congestion control for the Internet", NSDI
/// 2018, section 2: the rate aims at 1 / (delta x queueing delay). With `competitive` it lowers delta
/// beside senders that fill the queue (section 2.2). The paper ignores losses, and a queue of one packet,
/// as in Pantheon's policers, shows no delay: the window would grow without bound. Here a round that
/// loses more than it delivers halves it.
struct CopaParameters {
  double delta = 0.5;
  bool competitive = true;
};
class Copa {
 public:
  explicit Copa(const CopaParameters& p = CopaParameters()) noexcept : p_(p), delta_(p.delta) {}
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;
  [[nodiscard]] double delta() const noexcept { return delta_; }

 private:
  void choose_mode() noexcept;
  void turn(bool up, double window) noexcept;
  void back_off(Control&) noexcept;

  CopaParameters p_;
  WindowedMax least_, standing_, most_;  // least RTTs are negated
  double delta_, velocity_ = 1, window_at_round_ = 0;
  double least_queue_s_ = std::numeric_limits<double>::infinity();  // of the round
  double acked_ = 0, lost_ = 0;                                     // packets of the round
  int same_rounds_ = 0, rounds_since_empty_ = 0;
  bool up_ = true, starting_ = true, lost_in_round_ = false, competing_ = false;
};

/// BBR, version 1: N. Cardwell et al., "BBR congestion control", draft-cardwell-iccrg-bbr-congestion-
/// control-00, with Linux's margin of 1 % and its rules for leaving the phases of probing.
struct BbrParameters {
  double window_gain = 2, probe_gain = 1.25;
};
class Bbr {
 public:
  explicit Bbr(const BbrParameters& p = BbrParameters(), Rng rng = Rng()) noexcept
      : p_(p), rng_(rng) {}
  void on_ack(const Ack&, Control&) noexcept;
  void on_congestion(const Ack&, Control&) noexcept;
  void on_timeout(const Ack&, Control&) noexcept;

  enum class Mode : std::uint8_t { startup, drain, probe_bandwidth, probe_rtt };
  [[nodiscard]] Mode mode() const noexcept { return mode_; }

 private:
  [[nodiscard]] double bdp(double gain) const noexcept;
  [[nodiscard]] double target(double gain, const Control&) const noexcept;
  void update_model(const Ack&) noexcept;
  void check_full_pipe(const Ack&) noexcept;
  void update_mode(const Ack&, Control&) noexcept;
  void probe_bandwidth(Nanos now) noexcept;
  void advance_phase(const Ack&, const Control&) noexcept;
  void update_probe_rtt(const Ack&, Control&) noexcept;
  void set_pacing(const Ack&, Control&) const noexcept;
  void set_window(const Ack&, Control&) noexcept;

  BbrParameters p_;
  Rng rng_;
  WindowedMax bandwidth_;  // by rounds
  double rtt_s_ = 0, gain_ = 2.885, window_gain_ = 2.885;
  double full_bandwidth_ = 0, rounds_ = 0, saved_window_ = 0;
  int full_rounds_ = 0, phase_ = 0;
  Nanos rtt_stamp_ = 0, phase_begin_ = 0, probe_rtt_done_ = 0;
  Mode mode_ = Mode::startup;
  bool filled_ = false, expired_ = false, probe_rtt_round_ = false;
  bool recovering_ = false, conserving_ = false;
};

/// A rate and a window from outside: those of a policy, or of a sender at a constant rate.
class Fixed {
 public:
  void on_ack(const Ack&, Control&) noexcept {}
  void on_congestion(const Ack&, Control&) noexcept {}
  void on_timeout(const Ack&, Control&) noexcept {}
};

using Sender = std::variant<Fixed, Reno, Cubic, Vegas, Copa, Bbr, Dctcp>;

enum class SenderKind : std::uint8_t { fixed, reno, cubic, vegas, copa, bbr, dctcp };

/// A sender of that kind. Parameters above 0, up to two of them, take the place of its defaults:
/// - reno: beta
/// - cubic: beta, c
/// - vegas: alpha (beta is twice that), gamma
/// - copa: delta
/// - bbr: window gain, probe gain
[[nodiscard]] Sender make_sender(SenderKind, double first = 0, double second = 0, Rng rng = Rng());

}  // namespace park::net
