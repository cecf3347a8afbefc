// One sender's connection: numbers of packets, losses by SACK (three later packets acknowledged),
// time-outs, round trips, delivery-rate samples. The simulator calls send for each packet that leaves
// and on_ack for each acknowledgement that comes back; the Sender decides window and rate. A lost
// packet's data goes out again in a later packet with a number of its own, as in QUIC (RFC 9002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/net/packet.h"
#include "park/net/senders.h"

namespace park::net {

/// What a connection counted since the begin, in packets and seconds.
/// sent = acked + lost + outstanding.
struct FlowCounts {
  double sent = 0, acked = 0, lost = 0, marked = 0, spurious = 0, timeouts = 0;
  double rtt_sum_s = 0, rtt_count = 0;
};

/// An acknowledgement on its way. It is of all packets from `from` to `number` that the receiver
/// has, or of `number` alone where that packet overtook or was overtaken.
struct AckRecord {
  Nanos time = 0;
  std::uint64_t number = 0, from = 0;
  std::uint32_t marked = 0;
  bool alone = false;
};

class Transport {
 public:
  static constexpr std::uint64_t kReordering = 3;  ///< RFC 5681, RFC 9002: packets
  static constexpr double kLeastTimeoutS = 0.2, kFirstTimeoutS = 1, kMostTimeoutS = 60;

  /// A new connection; packet numbers continue, so that those on their way stay distinct.
  void open(Sender sender, const Control& control) noexcept;
  /// All is forgotten, the numbers too.
  void reset() noexcept;

  [[nodiscard]] Control& control() noexcept { return control_; }
  [[nodiscard]] const Control& control() const noexcept { return control_; }
  void replace_sender(Sender sender) noexcept { sender_ = sender; }
  [[nodiscard]] const Sender& sender() const noexcept { return sender_; }

  [[nodiscard]] double inflight() const noexcept { return inflight_; }
  [[nodiscard]] bool window_open() const noexcept {
    return inflight_ + 1 <= control_.window || inflight_ == 0;
  }
  /// The number of a packet that leaves now.
  std::uint64_t send(Nanos now);
  /// The sender has nothing to send, and its window is open.
  void starved() noexcept { app_limited_until_ = delivered_ + inflight_ + 1; }
  /// The receiver has the packet.
  void received(std::uint64_t number) noexcept {
    if (number >= lowest_) at(number).received = true;
  }
  void on_ack(const AckRecord&, Nanos now) noexcept;
  /// All outstanding packets count as lost.
  void on_timeout(Nanos now) noexcept;
  /// When that happens unless an ack comes; kNever where nothing is outstanding.
  [[nodiscard]] Nanos timeout() const noexcept { return timeout_; }

  [[nodiscard]] const FlowCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] double smooth_rtt_s() const noexcept { return smooth_rtt_s_; }
  [[nodiscard]] double least_rtt_s() const noexcept { return least_rtt_s_; }
  [[nodiscard]] double last_rtt_s() const noexcept { return last_rtt_s_; }
  /// The newest delivery-rate sample, packets/s; 0: none yet.
  [[nodiscard]] double rate() const noexcept { return rate_; }
  [[nodiscard]] bool app_limited() const noexcept { return app_limited_until_ > 0; }
  /// Packets of this connection that were acknowledged.
  [[nodiscard]] double delivered() const noexcept { return delivered_; }

 private:
  struct Sent {
    Nanos sent = 0, first_sent = 0, delivered_at = 0;
    double delivered = 0;
    bool outstanding = false, received = false, app_limited = false;
  };

  [[nodiscard]] Sent& at(std::uint64_t number) noexcept { return sent_.data()[number & mask_]; }
  void grow();
  void resolve(Sent&, Nanos now) noexcept;
  [[nodiscard]] double detect_losses() noexcept;
  void measure(const Sent& newest, Nanos now, Ack&) noexcept;
  void tell(const Ack&) noexcept;

  Sender sender_;
  Control control_;
  std::vector<Sent> sent_;
  std::uint64_t mask_ = ~std::uint64_t{0};  // places - 1; at first there are none
  std::uint64_t lowest_ = 0, next_ = 0, highest_ = 0, recovery_end_ = 0, last_lost_ = 0;
  double inflight_ = 0, delivered_ = 0, round_mark_ = 0, app_limited_until_ = 0;
  Nanos delivered_at_ = 0, first_sent_ = 0, timeout_ = kNever;
  double smooth_rtt_s_ = 0, deviation_s_ = 0, least_rtt_s_ = 0, last_rtt_s_ = 0, rate_ = 0;
  double backoff_ = 1;
  FlowCounts counts_;
};

}  // namespace park::net
