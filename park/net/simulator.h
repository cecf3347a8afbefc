// Packets of any number of flows through one queue and one link. Propagation is constant, so
// acknowledgements of a flow come in the order in which they left. Each flow has a list of them,
// and no heap is needed. The next event is the link's departure or the first event of a flow: an
// ack, a time-out, or a packet that pacing releases. A tournament finds it. All propagation stands
// behind the link, which changes when packets of different flows meet by a constant only.
// Environments run it up to their next decision; randomness of a flow and a packet is drawn by
// their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/net/first_of.h"
#include "park/net/link.h"
#include "park/net/queue.h"
#include "park/net/ring.h"
#include "park/net/transport.h"

namespace park::net {

/// What a flow has to send.
enum class Traffic : std::uint8_t {
  bulk,    ///< without an end
  finite,  ///< size_packets
  on_off,  ///< one flow of a drawn size after another, with pauses between them (web)
};

struct FlowConfig {
  SenderKind sender = SenderKind::cubic;
  double first = 0, second = 0;  ///< parameters of the sender, 0: its defaults
  double round_trip_s = 0.04;    ///< propagation both ways
  double start_s = 0, stop_s = 1e9;
  double packets_per_s = kUnpaced;  ///< SenderKind::fixed
  Ecn ecn = Ecn::not_capable;
  Traffic traffic = Traffic::bulk;
  double size_packets = 100;  ///< finite: all; on_off: mean of a Pareto distribution
  double size_shape = 1.5, most_packets = 1e5;
  double pause_s = 1;    ///< on_off: mean, memoryless
  bool outside = false;  ///< set_control decides; a time-out ends run
};

struct PathConfig {
  double loss = 0, ack_loss = 0;            ///< of packets behind the link, of acks
  double reorder_share = 0, reorder_s = 0;  ///< packets that are that much later
  std::uint32_t ack_every = 2;              ///< packets; 1: no delayed acks
  double delayed_ack_s = 0.04;
  double ack_link_bytes_per_s = 0;  ///< of 40-byte acks on the way back; 0: no limit
  double ack_period_s = 0;          ///< acks come only at multiples of it; 0: at any time
  std::uint32_t ack_burst = 10;     ///< that many
  std::uint16_t packet_bytes = 1500;
};

/// How long packets waited: the mean, and quantiles to 2 %.
class DelayHistogram {
 public:
  void clear() noexcept { *this = {}; }
  void add(Nanos delay) noexcept {
    sum_s_ += to_seconds(delay);
    ++count_;
    ++bins_[bin_of(static_cast<std::uint64_t>(delay))];
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// NaN without a packet.
  [[nodiscard]] double mean_s() const noexcept { return sum_s_ / static_cast<double>(count_); }
  [[nodiscard]] double sum_s() const noexcept { return sum_s_; }
  /// The middle of the bin with the smallest delay that at least that share does not exceed; NaN
  /// without a packet.
  [[nodiscard]] double quantile_s(double share) const noexcept;

 private:
  static constexpr unsigned kParts = 5;   // 32 bins per factor of 2
  static constexpr unsigned kFirst = 10;  // below 2^10 ns there is one bin
  [[nodiscard]] static std::size_t bin_of(std::uint64_t ns) noexcept {
    if (ns < (std::uint64_t{1} << kFirst)) return 0;
    const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
    return 1 + ((power - kFirst) << kParts) + ((ns >> (power - kParts)) & ((1U << kParts) - 1));
  }
  std::array<std::uint32_t, 1 + ((64 - kFirst) << kParts)> bins_{};
  std::uint64_t count_ = 0;
  double sum_s_ = 0;
};

/// Where packets are. offered = dropped + dequeued + waiting; dequeued = path_lost + received +
/// in service (0 or 1).
struct NetworkCounts {
  std::uint64_t path_lost = 0, received = 0, delivered_bytes = 0;
  std::uint64_t flows_finished = 0;
  double completion_sum_s = 0;  ///< of finished flows
};

class Simulator {
 public:
  /// Begins at the time 0. Memory is kept between runs.
  void reset(const LinkConfig&, const QueueConfig&, const PathConfig&,
             const std::vector<FlowConfig>&, Rng inputs, Rng dynamics);

  /// Plays all events up to and including that time. Returns that time, or an earlier one where a flow
  /// that is decided from outside had a time-out; timed_out() is then that flow.
  Nanos run(Nanos until);
  static constexpr std::uint32_t kNone = 0xffffffffU;
  [[nodiscard]] std::uint32_t timed_out() const noexcept { return timed_out_; }
  [[nodiscard]] Nanos now() const noexcept { return now_; }

  /// The window and the rate of a flow from now on; what they permit leaves at once. The rate counts from
  /// the last packet on, so however often it is set, no more than it leaves.
  void set_control(std::uint32_t flow, const Control&);
  /// Another sender continues with the window of the one before.
  void set_sender(std::uint32_t flow, const Sender&);
  /// This flow sends a packet whenever the link would else be idle, and at no other time: a sender that
  /// knows the link. It sends no more than the way back of its acks can carry. One flow at a time; kNone ends it.
  void set_filler(std::uint32_t flow);
  [[nodiscard]] Queue& queue() noexcept { return queue_; }
  [[nodiscard]] const Queue& queue() const noexcept { return queue_; }
  [[nodiscard]] Link& link() noexcept { return link_; }
  /// Bytes that link and policer could have carried from the time 0 until now.
  [[nodiscard]] double capacity() noexcept;
  /// The rate of both now; see Link::bytes_per_s.
  [[nodiscard]] double bytes_per_s() const noexcept;
  [[nodiscard]] const Transport& flow(std::uint32_t i) const noexcept {
    return flows_[i].transport;
  }
  [[nodiscard]] const FlowConfig& flow_config(std::uint32_t i) const noexcept {
    return flows_[i].config;
  }
  [[nodiscard]] std::uint32_t flows() const noexcept { return count_; }
  /// Whether the flow has begun and has something to send.
  [[nodiscard]] bool active(std::uint32_t i) const noexcept { return flows_[i].on; }
  [[nodiscard]] const NetworkCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] const DelayHistogram& delays() const noexcept { return delays_; }
  /// From now on the histogram has what leaves from now on.
  void restart_delays() noexcept { delays_.clear(); }
  [[nodiscard]] bool in_service() const noexcept { return serving_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  /// Packets of the flow that the queue dropped.
  [[nodiscard]] std::uint64_t dropped_of(std::uint32_t flow) const noexcept {
    return flows_[flow].dropped;
  }

 private:
  struct Flow {
    Transport transport;
    Ring<AckRecord> acks;
    FlowConfig config;
    Nanos round_trip = 0, pace_next = 0, paced_at = 0, begins = 0, stops = kNever;
    Nanos pending_due = kNever, ack_slot = 0, began = 0, last_ack = 0;
    Nanos seldom = kNever;  // the first of begins, pending_due and the time-out, or earlier
    std::uint64_t report_from = 0, last_received = 0, dropped = 0, runs = 0;
    double left = 0;   // packets to deliver, of finite traffic
    double paced = 0;  // packets that left at paced_at
    std::uint32_t pending_marked = 0, number = 0;
    bool on = false;
    Rng inputs{}, loss{};

    /// Whether `left` counts.
    [[nodiscard]] bool ends() const noexcept { return config.traffic != Traffic::bulk; }
  };

  void begin(Flow&);
  void finish(Flow&);
  void on_flow(std::uint32_t);
  void send_all(Flow&);
  [[nodiscard]] bool has_data(const Flow& f) const noexcept {
    return f.on && (!f.ends() || f.transport.delivered() + f.transport.inflight() < f.left) &&
           now_ < f.stops;
  }
  [[nodiscard]] bool can_send(const Flow& f) const noexcept {
    return f.transport.window_open() && has_data(f);
  }
  [[nodiscard]] static Nanos paced_until(const Flow&) noexcept;
  void set_next(Flow&, bool ready) noexcept;
  void offer(Flow&, std::uint64_t number);
  void enqueue(Flow&, std::uint64_t number);
  [[nodiscard]] Nanos filler_time() const noexcept;
  void fill();
  void on_link();
  void serve();
  void deliver(const Packet&, Nanos at);
  void acknowledge(Flow&, const Packet&, Nanos due);
  void push_ack(Flow&, std::uint64_t number, Nanos due);
  static void put(Flow&, const AckRecord&);
  void flush_pending(Flow&);
  [[nodiscard]] Nanos ack_arrival(Flow&, Nanos due) const noexcept;

  PathConfig path_;
  Link link_;
  Queue queue_;
  std::vector<Flow> flows_;
  FirstOf first_;
  std::uint32_t count_ = 0, timed_out_ = kNone, filler_ = kNone;
  Packet in_link_{};
  Nanos now_ = 0, link_time_ = kNever;
  Nanos ack_gap_ = 0;    // between acks, at least, on the way back; 0: none
  Nanos fill_next_ = 0;  // when acks permit the filler's next packet
  bool serving_ = false, slotted_ = false, reorders_ = false;
  bool plain_acks_ = false;  // none is lost, and nothing but propagation delays them
  DelayHistogram delays_;
  NetworkCounts counts_;
  std::uint64_t events_ = 0;
};

}  // namespace park::net
