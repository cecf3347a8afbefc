// The events of the simulator: on_link takes the departure of a packet and gives the next one to the
// link, on_flow takes what is due of one flow, acks first. A packet that leaves the link is received
// at once in the books: its acknowledgement is put into the flow's list with the time at which it
// reaches the sender. run is called by environments, tests and benchmarks.
#include "park/net/simulator.h"

#include <algorithm>
#include <cmath>

namespace park::net {
namespace {

constexpr double kAckBytes = 40;

}  // namespace

double DelayHistogram::quantile_s(double share) const noexcept {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const double wanted = std::max(1.0, std::ceil(share * static_cast<double>(count_)));
  double seen = 0;
  std::size_t bin = 0;
  while (bin + 1 < bins_.size() && (seen += bins_[bin]) < wanted) ++bin;
  if (bin == 0) return 0;
  const auto power = static_cast<int>((bin - 1) >> kParts) + static_cast<int>(kFirst);
  const auto part = static_cast<double>((bin - 1) & ((1U << kParts) - 1));
  constexpr double kBins = 1U << kParts;
  return std::ldexp(1 + (part + 0.5) / kBins, power) * 1e-9;
}

void Simulator::reset(const LinkConfig& link, const QueueConfig& queue, const PathConfig& path,
                      const std::vector<FlowConfig>& flows, Rng inputs, Rng dynamics) {
  path_ = path;
  reorders_ = path.reorder_share > 0;
  ack_gap_ = path.ack_link_bytes_per_s > 0 ? to_nanos(kAckBytes / path.ack_link_bytes_per_s)
                                           : to_nanos(path.ack_period_s) / path.ack_burst;
  plain_acks_ = path.ack_loss <= 0 && path.ack_link_bytes_per_s <= 0 && path.ack_period_s <= 0;
  link_.reset(link, inputs.split("link"));
  slotted_ = link_.slotted();
  queue_.reset(queue, dynamics.split("queue"));
  count_ = static_cast<std::uint32_t>(flows.size());
  if (flows_.size() < flows.size()) flows_.resize(flows.size());
  first_.reset(flows.size());
  now_ = fill_next_ = 0;
  link_time_ = kNever;
  serving_ = false;
  delays_.clear();
  counts_ = {};
  events_ = 0;
  timed_out_ = filler_ = kNone;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Flow& f = flows_[i];
    f.transport.reset();
    f.acks.clear();
    f.config = flows[i];
    f.number = i;
    f.round_trip = to_nanos(flows[i].round_trip_s);
    f.begins = to_nanos(flows[i].start_s);
    f.stops = to_nanos(flows[i].stop_s);
    f.pace_next = f.paced_at = f.began = f.last_ack = 0;
    f.ack_slot = -ack_gap_;
    f.pending_due = kNever;
    f.seldom = f.begins;
    f.report_from = f.last_received = f.dropped = f.runs = 0;
    f.left = 0;
    f.pending_marked = 0;
    f.on = false;
    f.inputs = inputs.split("flow").split(i);
    f.loss = dynamics.split("loss").split(i);
    first_.set(i, f.begins);
  }
}

/// A flow begins, or the next one of on_off traffic does.
void Simulator::begin(Flow& f) {
  const FlowConfig& c = f.config;
  f.begins = kNever;
  f.on = true;
  f.began = now_;
  f.left = kUnpaced;
  if (c.traffic == Traffic::finite) f.left = std::ceil(c.size_packets);
  if (c.traffic == Traffic::on_off) {
    const double scale = c.size_packets * (c.size_shape - 1) / c.size_shape;
    const double size = f.inputs.split("size").split(f.runs).pareto(c.size_shape, scale);
    f.left = std::ceil(std::min(size, c.most_packets));
  }
  Control control;
  if (c.sender == SenderKind::fixed && !c.outside)
    control = {.window = kUnpaced, .pacing = c.packets_per_s, .quantum = 1};
  f.transport.open(make_sender(c.sender, c.first, c.second, f.inputs.split("sender").split(f.runs)),
                   control);
  f.report_from = 0;
  f.pace_next = f.paced_at = now_;
  f.paced = 0;
}

void Simulator::finish(Flow& f) {
  f.on = false;
  ++counts_.flows_finished;
  counts_.completion_sum_s += to_seconds(now_ - f.began);
  if (f.config.traffic != Traffic::on_off) return;
  const double pause_s = f.inputs.split("pause").split(f.runs).exponential(f.config.pause_s);
  ++f.runs;
  f.begins = now_ + to_nanos(pause_s);
  if (f.begins >= f.stops) f.begins = kNever;
}

/// One body with all that an event calls: so many small calls are a third of the time.
[[gnu::flatten]] Nanos Simulator::run(Nanos until) {
  PARK_ASSERT(until >= now_);
  timed_out_ = kNone;
  for (;;) {
    const Nanos flow_time = first_.time();
    if (link_time_ <= flow_time) {
      if (link_time_ > until) break;
      now_ = link_time_;
      on_link();
    } else {
      if (flow_time > until) break;
      now_ = flow_time;
      on_flow(first_.source());
      if (timed_out_ != kNone) return now_;
    }
  }
  return now_ = until;
}

void Simulator::on_flow(std::uint32_t i) {
  Flow& f = flows_.data()[i];
  const bool seldom = f.seldom <= now_;
  if (seldom) [[unlikely]] {
    if (f.begins <= now_) begin(f);
    if (f.pending_due <= now_) flush_pending(f);
  }
  while (!f.acks.empty() && f.acks.front().time <= now_) {
    const AckRecord r = f.acks.front();
    f.acks.pop();
    ++events_;
    f.transport.on_ack(r, now_);
    if (f.ends() && f.on && f.transport.delivered() >= f.left) finish(f);
  }
  if (seldom && f.transport.timeout() <= now_) {
    ++events_;
    f.transport.on_timeout(now_);
    if (f.config.outside) timed_out_ = i;
  }
  send_all(f);
}

/// Sends what window and pacing permit, and sets the flow's next event.
void Simulator::send_all(Flow& f) {
  Transport& t = f.transport;
  bool ready = can_send(f);
  while (ready && f.pace_next <= now_) {
    const Control& c = t.control();
    double sent = 0;
    do {
      ++events_;
      offer(f, t.send(now_));
      ready = can_send(f);
    } while (++sent < c.quantum && ready);
    f.paced_at = now_;
    f.paced = sent;
    f.pace_next = paced_until(f);
  }
  if (f.ends() && f.on && !ready && t.window_open()) t.starved();
  set_next(f, ready);
}

/// When the packets that were sent at once have had their time at the present rate.
Nanos Simulator::paced_until(const Flow& f) noexcept {
  constexpr double kLeastPacing = 1e-3;
  const double pacing = f.transport.control().pacing;
  if (pacing == kUnpaced) return f.paced_at;
  return f.paced_at + to_nanos(f.paced / std::max(pacing, kLeastPacing));
}

/// `ready`: whether it can send as soon as pacing permits.
void Simulator::set_next(Flow& f, bool ready) noexcept {
  f.seldom = std::min(f.begins, std::min(f.transport.timeout(), f.pending_due));
  Nanos next = f.seldom;
  if (!f.acks.empty()) next = std::min(next, f.acks.front().time);
  if (ready) next = std::min(next, std::max(now_, f.pace_next));
  first_.set(f.number, next);
}

void Simulator::set_control(std::uint32_t flow, const Control& control) {
  Flow& f = flows_[flow];
  f.transport.control() = control;
  f.pace_next = paced_until(f);
  send_all(f);
}

void Simulator::set_sender(std::uint32_t flow, const Sender& sender) {
  Flow& f = flows_[flow];
  f.transport.replace_sender(sender);
  set_next(f, can_send(f));
}

void Simulator::set_filler(std::uint32_t flow) {
  filler_ = flow;
  if (flow == kNone || link_time_ != kNever) return;
  if (slotted_)
    link_time_ = link_.opportunity(now_);
  else
    serve();
}

double Simulator::capacity() noexcept {
  const double carried = link_.capacity(now_);
  const Policer& policer = queue_.policer();
  return policer.active() ? std::min(carried, policer.capacity(now_)) : carried;
}

double Simulator::bytes_per_s() const noexcept {
  const Policer& policer = queue_.policer();
  return policer.active() ? std::min(link_.bytes_per_s(), policer.bytes_per_s())
                          : link_.bytes_per_s();
}

/// When policer and acks permit the filler's next packet; kNever where it has none.
Nanos Simulator::filler_time() const noexcept {
  if (filler_ == kNone || !has_data(flows_[filler_])) return kNever;
  const Policer& policer = queue_.policer();
  return policer.active() ? std::max(fill_next_, policer.admits_at(path_.packet_bytes, now_))
                          : fill_next_;
}

/// The filler's packet for a link that finds the queue empty. The next one waits as long as the acks
/// would else queue on their way back.
void Simulator::fill() {
  if (!queue_.empty() || filler_time() > now_) return;
  Flow& f = flows_[filler_];
  ++events_;
  enqueue(f, f.transport.send(now_));
  set_next(f, can_send(f));
  fill_next_ = std::max(now_ + ack_gap_ / path_.ack_every, f.ack_slot - f.round_trip);
}

void Simulator::offer(Flow& f, std::uint64_t number) {
  enqueue(f, number);
  if (serving_ || (slotted_ && link_time_ != kNever)) return;
  if (slotted_)
    link_time_ = link_.opportunity(now_);
  else
    serve();
}

void Simulator::enqueue(Flow& f, std::uint64_t number) {
  const Packet p{.number = number,
                 .enqueued = now_,
                 .flow = f.number,
                 .bytes = path_.packet_bytes,
                 .ecn = f.config.ecn};
  queue_.enqueue(p, now_, [&](const Packet& lost) { ++flows_[lost.flow].dropped; });
}

/// Gives the next packet to an idle link of a rate.
void Simulator::serve() {
  fill();
  serving_ =
      queue_.dequeue(now_, in_link_, [&](const Packet& lost) { ++flows_[lost.flow].dropped; });
  if (!serving_) {
    const Nanos next = filler_time();
    link_time_ = next > now_ ? next : kNever;
    return;
  }
  delays_.add(now_ - in_link_.enqueued);
  link_time_ = link_.departure(now_, in_link_.bytes);
}

void Simulator::on_link() {
  ++events_;
  if (!slotted_) {
    if (serving_) deliver(in_link_, now_);
    serve();
    return;
  }
  fill();
  Packet p;
  if (queue_.dequeue(now_, p, [&](const Packet& lost) { ++flows_[lost.flow].dropped; })) {
    delays_.add(now_ - p.enqueued);
    deliver(p, now_);
  }
  link_time_ = queue_.empty() && filler_ == kNone ? kNever : link_.opportunity(now_);
}

void Simulator::deliver(const Packet& p, Nanos at) {
  Flow& f = flows_.data()[p.flow];
  if (path_.loss > 0 && f.loss.split(p.number).uniform() < path_.loss) {
    ++counts_.path_lost;
    return;
  }
  ++counts_.received;
  counts_.delivered_bytes += p.bytes;
  const Nanos due = at + f.round_trip;
  const bool first = f.acks.empty();
  if (reorders_ && f.loss.split("reorder").split(p.number).uniform() < path_.reorder_share) {
    const AckRecord late{.time = due + to_nanos(path_.reorder_s),
                         .number = p.number,
                         .from = p.number,
                         .marked = p.ecn == Ecn::ce,
                         .alone = true};
    put(f, late);
  } else {
    acknowledge(f, p, due);
  }
  if (first || reorders_) set_next(f, can_send(f));
}

/// The receiver acknowledges every second packet, and at once where one is missing.
void Simulator::acknowledge(Flow& f, const Packet& p, Nanos due) {
  if (f.pending_due < due) flush_pending(f);
  f.transport.received(p.number);
  f.pending_marked += p.ecn == Ecn::ce;
  const bool gap = p.number != f.last_received + 1;
  f.last_received = p.number;
  const bool waits =
      f.pending_due == kNever && path_.ack_every > 1 && !gap && f.pending_marked == 0;
  if (waits) {
    f.pending_due = due + to_nanos(path_.delayed_ack_s);
    f.seldom = std::min(f.seldom, f.pending_due);
    return;
  }
  f.pending_due = kNever;
  push_ack(f, p.number, due);
}

void Simulator::flush_pending(Flow& f) {
  const Nanos due = f.pending_due;
  f.pending_due = kNever;
  push_ack(f, f.last_received, due);
}

void Simulator::push_ack(Flow& f, std::uint64_t number, Nanos due) {
  if (path_.ack_loss > 0 && f.loss.split("ack").split(number).uniform() < path_.ack_loss) return;
  const AckRecord r{.time = plain_acks_ ? due : ack_arrival(f, due),
                    .number = number,
                    .from = f.report_from,
                    .marked = f.pending_marked,
                    .alone = false};
  f.report_from = number + 1;
  f.pending_marked = 0;
  put(f, r);
}

/// Into the list, which is in the order of arrival.
void Simulator::put(Flow& f, const AckRecord& r) {
  f.acks.push(r);
  if (r.time >= f.last_ack) [[likely]] {
    f.last_ack = r.time;
    return;
  }
  for (std::size_t i = f.acks.size() - 1; i > 0 && f.acks[i - 1].time > f.acks[i].time; --i)
    std::swap(f.acks[i - 1], f.acks[i]);
}

/// When the ack is there, after the link of the way back.
Nanos Simulator::ack_arrival(Flow& f, Nanos due) const noexcept {
  if (ack_gap_ <= 0) return due;
  f.ack_slot = std::max(due, f.ack_slot + ack_gap_);
  if (path_.ack_link_bytes_per_s > 0) return f.ack_slot + ack_gap_;
  // ack_burst of them at every multiple of the period: the next one that has room
  const Nanos period = to_nanos(path_.ack_period_s);
  return (f.ack_slot + period - 1) / period * period;
}

}  // namespace park::net
