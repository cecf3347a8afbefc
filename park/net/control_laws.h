// The control laws of queue management, each as its document's pseudo code has it, without a queue.
// Queue (queue.h) calls them for every packet; an emulator and a simulator share both. Times are
// nanoseconds of one clock that never goes back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "park/core/rng.h"
#include "park/net/packet.h"

namespace park::net {

struct CodelParameters {
  Nanos target = 5 * kMillisecond, interval = 100 * kMillisecond;
  std::uint32_t most_bytes = 1514;  ///< a backlog of one packet is never dropped
};

/// CoDel: K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, section 5.
class Codel {
 public:
  explicit Codel(const CodelParameters& p = {}) noexcept : p_(p) {}

  /// Whether a packet that was taken from the queue may be dropped (the RFC's dodequeue). `backlog`
  /// are the bytes that are left behind it.
  [[nodiscard]] bool above_target(Nanos sojourn, std::uint64_t backlog, Nanos now) noexcept {
    if (sojourn < p_.target || backlog <= p_.most_bytes) {
      first_above_ = 0;
      return false;
    }
    if (first_above_ == 0) {
      first_above_ = now + p_.interval;
      return false;
    }
    return now >= first_above_;
  }
  /// The queue was found empty where a packet was wanted.
  void found_empty() noexcept { first_above_ = 0; }
  /// In the dropping state: whether it is time for another drop.
  [[nodiscard]] bool due(Nanos now) const noexcept { return dropping_ && now >= drop_next_; }
  void leave() noexcept { dropping_ = false; }
  void count_drop() noexcept { ++count_; }
  void schedule() noexcept { drop_next_ = law(drop_next_, count_); }
  /// Enters the dropping state. If it was left a short time ago, the old rate is a good start.
  void enter(Nanos now) noexcept {
    dropping_ = true;
    const std::uint32_t since = count_ - last_count_;
    count_ = since > 1 && now - drop_next_ < 16 * p_.interval ? since : 1;
    drop_next_ = law(now, count_);
    last_count_ = count_;
  }
  [[nodiscard]] bool dropping() const noexcept { return dropping_; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] Nanos next_drop() const noexcept { return drop_next_; }

 private:
  [[nodiscard]] Nanos law(Nanos from, std::uint32_t count) const noexcept {
    return from + static_cast<Nanos>(static_cast<double>(p_.interval) /
                                     std::sqrt(static_cast<double>(count)));
  }
  CodelParameters p_;
  Nanos first_above_ = 0, drop_next_ = 0;
  std::uint32_t count_ = 0, last_count_ = 0;
  bool dropping_ = false;
};

/// Takes the packet that leaves a queue under CoDel (the RFC's deque). `take(packet)` takes the next
/// one from the queue and is false where there is none. `left()` are the bytes behind that packet.
/// `mark(packet)` marks the packet and is true, or is false where it must be dropped.
/// `drop(packet)` drops it.
template <class Take, class Left, class Mark, class Drop>
[[nodiscard]] bool codel_dequeue(Codel& law, Nanos now, Packet& out, Take&& take, Left&& left,
                                 Mark&& mark, Drop&& drop) {
  bool there = false;
  const auto next = [&] {
    there = take(out);
    if (there) return law.above_target(now - out.enqueued, left(), now);
    law.found_empty();
    return false;
  };
  bool above = next();
  if (!law.dropping()) {
    if (!above) return there;
    if (!mark(out)) {
      drop(out);
      static_cast<void>(next());
    }
    law.enter(now);
    return there;
  }
  if (!above) law.leave();
  while (law.due(now)) {
    law.count_drop();
    if (mark(out)) {
      law.schedule();
      break;
    }
    drop(out);
    above = next();
    if (above)
      law.schedule();
    else
      law.leave();
  }
  return there;
}

struct PieParameters {
  double target_s = 0.015, update_s = 0.015, burst_s = 0.15;
  double alpha = 0.125, beta = 1.25;  ///< 1/s
  std::uint32_t mean_bytes = 1500;
};

/// PIE: R. Pan et al., "Proportional Integral Controller Enhanced (PIE)", RFC 8033, appendix A.
class Pie {
 public:
  explicit Pie(const PieParameters& p = {}) noexcept : p_(p), burst_left_s_(p.burst_s) {}

  /// Whether an arriving packet is dropped or marked; `u` is uniform in [0, 1).
  [[nodiscard]] bool drop_early(double delay_s, std::uint64_t backlog, double u) noexcept {
    const bool calm = delay_s < p_.target_s / 2 && old_delay_s_ < p_.target_s / 2;
    const bool drop = burst_left_s_ <= 0 && decide(backlog, u);
    if (probability_ == 0 && calm) burst_left_s_ = p_.burst_s;
    return drop;
  }
  /// Every update_s: the departure from the target and the trend change the probability.
  void update(double delay_s) noexcept {
    double p = p_.alpha * (delay_s - p_.target_s) + p_.beta * (delay_s - old_delay_s_);
    p *= scale();
    if (probability_ >= 0.1 && p > 0.02) p = 0.02;
    probability_ += p;
    if (delay_s == 0 && old_delay_s_ == 0) probability_ *= 0.98;
    probability_ = std::clamp(probability_, 0.0, 1.0);
    old_delay_s_ = delay_s;
    burst_left_s_ = std::max(0.0, burst_left_s_ - p_.update_s);
  }
  [[nodiscard]] double probability() const noexcept { return probability_; }

 private:
  [[nodiscard]] bool decide(std::uint64_t backlog, double u) noexcept {
    if ((old_delay_s_ < p_.target_s / 2 && probability_ < 0.2) || backlog <= 2ULL * p_.mean_bytes)
      return false;
    if (probability_ == 0) accumulated_ = 0;
    accumulated_ += probability_;
    if (accumulated_ < 0.85) return false;
    if (accumulated_ < 8.5 && u >= probability_) return false;
    accumulated_ = 0;
    return true;
  }
  /// Small probabilities change in small steps.
  [[nodiscard]] double scale() const noexcept {
    if (probability_ < 0.000001) return 1.0 / 2048;
    if (probability_ < 0.00001) return 1.0 / 512;
    if (probability_ < 0.0001) return 1.0 / 128;
    if (probability_ < 0.001) return 1.0 / 32;
    if (probability_ < 0.01) return 1.0 / 8;
    return probability_ < 0.1 ? 1.0 / 2 : 1.0;
  }

  PieParameters p_;
  double probability_ = 0, old_delay_s_ = 0, accumulated_ = 0, burst_left_s_;
};

struct RedParameters {
  double min_packets = 5, max_packets = 15, most = 0.1, weight = 0.002;
};

/// Random early detection: S. Floyd, V. Jacobson, "Random early detection gateways for congestion
/// avoidance", IEEE/ACM Transactions on Networking 1(4), 1993, figure 2. Has the gentle slope from
/// max_packets to twice that (S. Floyd, 2000).
class Red {
 public:
  explicit Red(const RedParameters& p = {}) noexcept : p_(p) {}

  /// Whether an arriving packet is dropped or marked. `packets` wait already; `idle_packets` could
  /// have left since the queue was empty, 0 where it is not.
  [[nodiscard]] bool drop_early(double packets, double idle_packets, double u) noexcept {
    if (packets > 0)
      average_ += p_.weight * (packets - average_);
    else
      average_ *= std::pow(1 - p_.weight, idle_packets);
    const double base = slope();
    if (base <= 0) {
      since_ = -1;
      return false;
    }
    ++since_;
    const double p = base >= 1 ? 1 : base / std::max(1 - since_ * base, 1e-9);
    if (u >= p) return false;
    since_ = 0;
    return true;
  }
  [[nodiscard]] double average() const noexcept { return average_; }

 private:
  [[nodiscard]] double slope() const noexcept {
    if (average_ < p_.min_packets) return 0;
    if (average_ < p_.max_packets)
      return p_.most * (average_ - p_.min_packets) / (p_.max_packets - p_.min_packets);
    if (average_ < 2 * p_.max_packets)
      return p_.most + (1 - p_.most) * (average_ - p_.max_packets) / p_.max_packets;
    return 1;
  }

  RedParameters p_;
  double average_ = 0, since_ = -1;
};

struct DualPi2Parameters {
  double target_s = 0.015, update_s = 0.016;
  double alpha = 0.16, beta = 3.2;  ///< 1/s
  double coupling = 2;
  double ramp_s = 0.0008, ramp_width_s = 0.0004;  ///< of the native marking of the L queue
};

/// The coupled controller of two queues: K. De Schepper et al., "Dual-Queue Coupled Active Queue
/// Management for L4S", RFC 9332, appendix A.1.
class DualPi2 {
 public:
  explicit DualPi2(const DualPi2Parameters& p = {}) noexcept : p_(p) {}

  void update(double delay_s) noexcept {
    base_ += p_.alpha * (delay_s - p_.target_s) + p_.beta * (delay_s - old_delay_s_);
    base_ = std::clamp(base_, 0.0, 1.0);
    old_delay_s_ = delay_s;
  }
  /// Whether a packet that leaves the classic queue is dropped or marked.
  [[nodiscard]] bool classic() noexcept { return recur(classic_count_, base_ * base_); }
  /// Whether a packet that leaves the L queue after that delay is marked.
  [[nodiscard]] bool low_latency(double delay_s) noexcept {
    const double native = std::clamp((delay_s - p_.ramp_s) / p_.ramp_width_s, 0.0, 1.0);
    return recur(low_count_, std::max(native, std::min(1.0, p_.coupling * base_)));
  }
  [[nodiscard]] double base() const noexcept { return base_; }

 private:
  [[nodiscard]] static bool recur(double& count, double likelihood) noexcept {
    count += likelihood;
    if (count <= 1) return false;
    count -= 1;
    return true;
  }

  DualPi2Parameters p_;
  double base_ = 0, old_delay_s_ = 0, classic_count_ = 0, low_count_ = 0;
};

}  // namespace park::net
