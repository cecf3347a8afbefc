// The queue before a link, under any discipline. Packets are described, not held: an emulator keeps
// their bytes and finds them by number. The caller gives each packet with the time (`enqueue`) and
// asks for one when the link is free (`dequeue`). It is told of the packets that were dropped.
// Within one discipline the order is that of arrival, except for flow queues and for the two queues
// of DualPI2. A simulator and an emulator include this header, so that both have the same queue.
#pragma once

#include <algorithm>
#include <cstdint>

#include "park/core/rng.h"
#include "park/net/control_laws.h"
#include "park/net/fq_codel.h"
#include "park/net/packet.h"
#include "park/net/policer.h"
#include "park/net/ring.h"

namespace park::net {

enum class Discipline : std::uint8_t {
  tail_drop,
  red,
  codel,
  pie,
  fq_codel,
  dualpi2,
  probability,  ///< each arriving packet is dropped or marked with a probability from outside
};

struct QueueConfig {
  Discipline discipline = Discipline::tail_drop;
  std::uint64_t limit_packets = 1000;
  std::uint64_t limit_bytes = ~std::uint64_t{0};
  bool ecn = false;            ///< packets that are capable of ECN are marked and not dropped
  double packets_per_s = 1e3;  ///< RED: how fast the average falls while nothing waits
  CodelParameters codel{};
  PieParameters pie{};
  RedParameters red{};
  DualPi2Parameters dualpi2{};
  PolicerParameters policer{};  ///< before the queue
};

/// What happened to the packets that were offered. Offered = dropped + dequeued + waiting.
struct QueueCounts {
  std::uint64_t offered = 0, dropped = 0, marked = 0, dequeued = 0;
};

class Queue {
 public:
  /// Empty, at the time 0.
  void reset(const QueueConfig& c, Rng rng) {
    config_ = c;
    rng_ = rng;
    counts_ = {};
    bytes_ = 0;
    probability_ = 0;
    idle_since_ = 0;
    packets_.clear();
    low_.clear();
    policer_ = Policer(c.policer);
    change(c, 0);
  }
  /// Another discipline for the packets that wait; the policer stays. Flow queues begin with none:
  /// REQUIRES an empty queue where the old or the new discipline is fq_codel.
  void change(const QueueConfig& c, Nanos now) {
    config_ = c;
    codel_ = Codel(c.codel);
    pie_ = Pie(c.pie);
    red_ = Red(c.red);
    dual_ = DualPi2(c.dualpi2);
    const bool dual = c.discipline == Discipline::dualpi2;
    const double period_s = dual ? c.dualpi2.update_s : c.pie.update_s;
    period_ = std::max<Nanos>(to_nanos(period_s), kMicrosecond);
    next_update_ = dual || c.discipline == Discipline::pie ? now : kNever;
    if (c.discipline == Discipline::fq_codel) fair_.reset(c.codel, 0);
  }
  /// For Discipline::probability; in [0, 1].
  void set_probability(double p) noexcept { probability_ = p; }

  [[nodiscard]] const QueueConfig& config() const noexcept { return config_; }
  [[nodiscard]] const Policer& policer() const noexcept { return policer_; }
  [[nodiscard]] const QueueCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::uint64_t packets() const noexcept {
    return is_fair() ? fair_.packets() : packets_.size() + low_.size();
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return is_fair() ? fair_.bytes() : bytes_; }
  [[nodiscard]] bool empty() const noexcept { return packets() == 0; }
  /// How long the packet that leaves next has waited; 0 where none waits, and with flow queues.
  [[nodiscard]] Nanos head_delay(Nanos now) const noexcept {
    return packets_.empty() ? 0 : now - packets_.front().enqueued;
  }
  [[nodiscard]] double drop_probability() const noexcept {
    if (config_.discipline == Discipline::pie) return pie_.probability();
    return config_.discipline == Discipline::dualpi2 ? dual_.base() * dual_.base() : probability_;
  }

  /// Takes the packet, or drops it; drop(packet) is called for every one that is dropped, which with
  /// flow queues may be others. False where this packet was dropped on arrival.
  template <class Drop>
  bool enqueue(Packet p, Nanos now, Drop&& drop) {
    if (now >= next_update_) update(now);
    p.enqueued = now;
    ++counts_.offered;
    if (policer_.active() && !policer_.admit(p.bytes, now)) [[unlikely]] {
      lose(p, drop);
      return false;
    }
    if (is_fair()) {
      fair_.enqueue(p);
      if (fair_.packets() > config_.limit_packets || fair_.bytes() > config_.limit_bytes)
        fair_.shorten([&](const Packet& lost) { lose(lost, drop); });
      return true;
    }
    const bool full = packets_.size() + low_.size() >= config_.limit_packets ||
                      bytes_ + p.bytes > config_.limit_bytes;
    if (full || (wants_drop(now) && !mark(p))) [[unlikely]] {
      lose(p, drop);
      return false;
    }
    bytes_ += p.bytes;
    const bool low =
        config_.discipline == Discipline::dualpi2 && (p.ecn == Ecn::ect1 || p.ecn == Ecn::ce);
    (low ? low_ : packets_).push(p);
    return true;
  }

  /// Takes the packet that leaves next; false where none is left.
  template <class Drop>
  [[nodiscard]] bool dequeue(Nanos now, Packet& out, Drop&& drop) {
    if (now >= next_update_) update(now);
    const bool there = take_next(now, out, drop);
    counts_.dequeued += there;
    if (packets_.empty()) idle_since_ = now;
    return there;
  }

 private:
  [[nodiscard]] bool is_fair() const noexcept { return config_.discipline == Discipline::fq_codel; }

  template <class Drop>
  bool take_next(Nanos now, Packet& out, Drop& drop) {
    const auto lost = [&](const Packet& p) { lose(p, drop); };
    const auto marked = [&](Packet& p) { return mark(p); };
    switch (config_.discipline) {
      case Discipline::codel:
        return codel_dequeue(
            codel_, now, out, [&](Packet& p) { return take(packets_, p); }, [&] { return bytes_; },
            marked, lost);
      case Discipline::fq_codel:
        return fair_.dequeue(now, out, marked, lost);
      case Discipline::dualpi2:
        return take_of_two(now, out, lost);
      default:
        return take(packets_, out);
    }
  }
  [[nodiscard]] bool take(Ring<Packet>& from, Packet& out) noexcept {
    if (from.empty()) return false;
    out = from.front();
    from.pop();
    bytes_ -= out.bytes;
    return true;
  }
  /// The L queue goes first, unless the classic packet has waited longer by two targets.
  template <class Lost>
  bool take_of_two(Nanos now, Packet& out, Lost&& lost) {
    const Nanos shift = to_nanos(2 * config_.dualpi2.target_s);
    while (!packets_.empty() || !low_.empty()) {
      const bool low = !low_.empty() && (packets_.empty() || low_.front().enqueued <=
                                                                 packets_.front().enqueued + shift);
      static_cast<void>(take(low ? low_ : packets_, out));
      if (low) {
        if (dual_.low_latency(to_seconds(now - out.enqueued))) set_ce(out);
        return true;
      }
      if (!dual_.classic() || mark(out)) return true;
      lost(out);
    }
    return false;
  }
  [[nodiscard]] bool wants_drop(Nanos now) noexcept {
    switch (config_.discipline) {
      case Discipline::probability:
        return probability_ > 0 && rng_.uniform() < probability_;
      case Discipline::red: {
        const double idle = packets_.empty() ? to_seconds(now - idle_since_) : 0;
        return red_.drop_early(static_cast<double>(packets_.size()), idle * config_.packets_per_s,
                               rng_.uniform());
      }
      case Discipline::pie:
        return pie_.drop_early(to_seconds(head_delay(now)), bytes_, rng_.uniform());
      default:
        return false;
    }
  }
  /// Calls what is due every period. Between two calls of this class the waiting packets stay.
  void update(Nanos now) noexcept {
    for (; next_update_ <= now; next_update_ += period_) {
      const double low_s = low_.empty() ? 0 : to_seconds(next_update_ - low_.front().enqueued);
      const double delay_s = std::max({0.0, to_seconds(head_delay(next_update_)), low_s});
      if (config_.discipline == Discipline::pie)
        pie_.update(delay_s);
      else
        dual_.update(delay_s);
    }
  }
  void set_ce(Packet& p) noexcept {
    if (p.ecn != Ecn::ce) ++counts_.marked;
    p.ecn = Ecn::ce;
  }
  [[nodiscard]] bool mark(Packet& p) noexcept {
    if (!config_.ecn || p.ecn == Ecn::not_capable) return false;
    set_ce(p);
    return true;
  }
  template <class Drop>
  void lose(const Packet& p, Drop& drop) {
    ++counts_.dropped;
    drop(p);
  }

  QueueConfig config_;
  Rng rng_{};
  QueueCounts counts_;
  Ring<Packet> packets_, low_;
  FqCodel fair_;
  Codel codel_;
  Pie pie_;
  Red red_;
  DualPi2 dual_;
  Policer policer_;
  std::uint64_t bytes_ = 0;
  double probability_ = 0;
  Nanos period_ = kMillisecond, next_update_ = kNever, idle_since_ = 0;
};

}  // namespace park::net
