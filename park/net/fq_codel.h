// Flow queues as a pool of packets in lists by number. Each of 1024 queues has a list. Two more
// lists are of queues: those that were empty and the others. Queue (queue.h) calls enqueue and
// dequeue, and shorten where its limit is passed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/net/control_laws.h"
#include "park/net/packet.h"

namespace park::net {

/// FlowQueue-CoDel: T. Hoeiland-Joergensen et al., RFC 8290. Packets of a flow share one of 1024
/// queues; queues that were empty go first; each sends a quantum of bytes per round, under CoDel.
/// All packets stand in one pool, in lists by number, so nothing is allocated once it has grown.
class FqCodel {
 public:
  static constexpr std::size_t kQueues = 1024;
  static constexpr std::int64_t kQuantum = 1514;
  static constexpr std::size_t kMostDropped = 64;  ///< at once, from the longest queue

  void reset(const CodelParameters& p, std::uint64_t salt) {
    if (queues_.empty()) queues_.resize(kQueues);
    for (const std::uint32_t q : used_) queues_[q] = {};
    used_.clear();
    parameters_ = p;
    salt_ = salt;
    nodes_.clear();
    free_ = kNone;
    new_ = old_ = {};
    packets_ = bytes_ = 0;
  }
  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  void enqueue(const Packet& p) {
    const std::uint32_t number = queue_of(p.flow);
    Queue& q = queues_[number];
    if (!q.known) {
      q.known = true;
      q.law = Codel(parameters_);
      used_.push_back(number);
    }
    const std::uint32_t node = new_node(p);
    (q.first == kNone ? q.first : nodes_[q.last].next) = node;
    q.last = node;
    ++packets_;
    bytes_ += p.bytes;
    q.bytes += p.bytes;
    if (q.listed) return;
    q.listed = true;
    q.credit = kQuantum;
    append(new_, number);
  }
  /// Half of the longest queue is dropped from its front, 64 packets at most (section 4.1).
  template <class Drop>
  void shorten(Drop&& drop) {
    const auto longest =
        *std::ranges::max_element(used_, {}, [&](std::uint32_t q) { return queues_[q].bytes; });
    Queue& q = queues_[longest];
    const std::uint64_t half = q.bytes / 2;
    Packet p;
    for (std::size_t n = 0; n < kMostDropped && q.bytes > half && take(q, p); ++n) drop(p);
  }
  /// False where nothing waits.
  template <class Mark, class Drop>
  [[nodiscard]] bool dequeue(Nanos now, Packet& out, Mark&& mark, Drop&& drop) {
    while (new_.first != kNone || old_.first != kNone) {
      List& list = new_.first != kNone ? new_ : old_;
      Queue& q = queues_[list.first];
      if (q.credit <= 0) {
        q.credit += kQuantum;
        append(old_, remove_first(list));
        continue;
      }
      const auto take_next = [&](Packet& p) { return take(q, p); };
      if (codel_dequeue(
              q.law, now, out, take_next, [&] { return q.bytes; }, mark, drop)) {
        q.credit -= out.bytes;
        return true;
      }
      // An empty new queue goes to the end of the old ones once, so that it cannot starve them.
      const bool was_new = &list == &new_;
      const std::uint32_t number = remove_first(list);
      if (was_new && old_.first != kNone)
        append(old_, number);
      else
        q.listed = false;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Node {
    Packet packet;
    std::uint32_t next = kNone;
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone, next_queue = kNone;
    std::uint64_t bytes = 0;
    std::int64_t credit = 0;
    Codel law{};
    bool listed = false, known = false;
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;
  };

  /// Flows are numbers, so a multiplication spreads them.
  [[nodiscard]] std::uint32_t queue_of(std::uint32_t flow) const noexcept {
    return static_cast<std::uint32_t>(((flow + salt_ + 1) * 0x9e3779b97f4a7c15ULL) >> 54U);
  }
  [[nodiscard]] std::uint32_t new_node(const Packet& p) {
    if (free_ == kNone) {
      nodes_.push_back({p, kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    nodes_[node] = {p, kNone};
    return node;
  }
  [[nodiscard]] bool take(Queue& q, Packet& out) noexcept {
    if (q.first == kNone) return false;
    const std::uint32_t node = q.first;
    out = nodes_[node].packet;
    q.first = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    q.bytes -= out.bytes;
    bytes_ -= out.bytes;
    --packets_;
    return true;
  }
  void append(List& list, std::uint32_t number) noexcept {
    queues_[number].next_queue = kNone;
    (list.first == kNone ? list.first : queues_[list.last].next_queue) = number;
    list.last = number;
  }
  std::uint32_t remove_first(List& list) noexcept {
    const std::uint32_t number = list.first;
    list.first = queues_[number].next_queue;
    return number;
  }

  CodelParameters parameters_{};
  std::uint64_t salt_ = 0, packets_ = 0, bytes_ = 0;
  std::vector<Queue> queues_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> used_;
  std::uint32_t free_ = kNone;
  List new_, old_;
};

}  // namespace park::net
