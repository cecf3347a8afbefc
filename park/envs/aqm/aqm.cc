// The environment around the simulator. step sets the probability, or another discipline, plays one
// interval and writes what the queue counted in it. Pool calls it.
#include "park/envs/aqm/aqm.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "park/net/opportunity_file.h"

namespace park::aqm {

using net::Nanos;

namespace {

constexpr double kSteadyShare = 0.25, kDelayUnitS = 0.005, kDelayWeight = 0.1;

[[nodiscard]] float bounded(double value, double most) noexcept {
  return static_cast<float>(std::clamp(value, 0.0, most));
}

/// 0 where nothing happened.
[[nodiscard]] double ratio(double part, double whole) noexcept {
  return whole > 0 ? part / whole : 0;
}

[[nodiscard]] double score_of(double utilisation, double delay_s) noexcept {
  constexpr double kLeast = 0.01;
  return std::log(std::max(utilisation, kLeast)) - kDelayWeight * std::log1p(delay_s / kDelayUnitS);
}

template <std::size_t n>
void push_front(std::array<float, n>& list, float value) noexcept {
  std::copy_backward(list.begin(), list.end() - 1, list.end());
  list[0] = value;
}

}  // namespace

void QueueTimeline::arrival(double time_s, std::size_t flow, double round_trip_s) const {
  const std::array<EventArg, 2> args{
      {{"flow", static_cast<double>(flow)}, {"round_trip_s", round_trip_s}}};
  sink().point("flows", time_s, "arrival", args);
}

void QueueTimeline::interval(double time_s, double delay_s, double backlog, double dropped,
                             double probability) const {
  sink().value("", "queueing delay, ms", time_s, delay_s * 1e3);
  sink().value("", "backlog, packets", time_s, backlog);
  sink().value("", "dropped, packets", time_s, dropped);
  sink().value("", "probability", time_s, probability);
}

Spec Aqm::spec(const Config& c) {
  static_cast<void>(c);
  return QueueLayout().spec(
      {.name = "aqm",
       .summary = "drop or mark packets at the queue of a congested link",
       .reference =
           "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
           "2019; Kuhn et al., Characterization Guidelines for Active Queue Management, RFC 7928; "
           "Nichols et al., RFC 8289; Pan et al., RFC 8033",
       .traits = {.cloneable = true}});
}

Aqm::Aqm(const Config& c) : config_(c) {
  if (!c.link.empty()) listed_ = net::read_opportunities(c.link, "link");
}

void Aqm::reset(const Episode& e, Row observation) {
  const Rng inputs(e.inputs);
  draw_workload(config_, listed_, inputs.split("workload"), workload_);
  sim_.reset(workload_.link, workload_.queue, workload_.path, workload_.flows, inputs,
             Rng(e.dynamics));
  duration_ = net::to_nanos(workload_.duration_s);
  steady_ = static_cast<Nanos>(kSteadyShare * static_cast<double>(duration_));
  horizon_ = net::to_nanos(e.horizon_s);
  begins_.resize(workload_.flows.size());
  std::iota(begins_.begin(), begins_.end(), 0U);
  std::ranges::sort(begins_, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(workload_.flows[a].start_s, a) < std::pair(workload_.flows[b].start_s, b);
  });
  announced_ = 0;
  handed_ = {};
  before_ = at_steady_ = now_ = {};
  steady_marked_ = waited_ = false;
  probability_ = seen_mbps_ = dropped_ = marked_ = 0;
  delay_ = arrived_ = departed_ = {};
  if (timeline_) timeline_.begin();
  observe(observation);
}

Outcome Aqm::step(ConstRow action, Row observation) {
  const Nanos before = sim_.now();
  apply(action.scalar(layout_.drop));
  const Nanos end = std::max(std::min(duration_, horizon_), before);
  const Nanos goal = std::min(before + net::to_nanos(config_.interval_s), end);
  waited_ = !sim_.queue().empty();
  if (!steady_marked_ && goal >= steady_ && steady_ >= before) {
    static_cast<void>(sim_.run(steady_));
    at_steady_ = totals();
    steady_marked_ = true;
  }
  static_cast<void>(sim_.run(goal));
  announce();
  Outcome o{.elapsed_s = net::to_seconds(goal - before)};
  o.reward = close_interval(o.elapsed_s);
  if (goal >= end) o.end = duration_ <= horizon_ ? End::terminated : End::truncated;
  observe(observation);
  return o;
}

void Aqm::apply(float action) {
  net::HandOver asked = net::read_hand_over(action);
  if (asked.kind > static_cast<int>(BuiltIn::known_path)) asked = {};
  if (asked != handed_) hand_over(asked);
  probability_ = asked.kind > 0 ? 0 : config_.most_probability * std::pow(action, config_.exponent);
  if (asked.kind == 0) sim_.queue().set_probability(probability_);
}

/// Flow queues begin, and end, only while nothing waits: until then the discipline before goes on.
void Aqm::hand_over(const net::HandOver& to) {
  constexpr double kMsPerS = 1e3, kRedSpread = 3;
  const auto kind = static_cast<BuiltIn>(to.kind);
  const bool fair =
      kind == BuiltIn::fq_codel || sim_.queue().config().discipline == net::Discipline::fq_codel;
  if (fair && !sim_.queue().empty()) return;
  net::QueueConfig q = workload_.queue;
  const double target_s = to.second / kMsPerS;
  switch (kind) {
    case BuiltIn::tail_drop:
      q.discipline = net::Discipline::tail_drop;
      if (to.second > 0) q.limit_packets = static_cast<std::uint64_t>(std::ceil(to.second));
      break;
    case BuiltIn::red:
      q.discipline = net::Discipline::red;
      if (to.second > 0) q.red = {.min_packets = to.second, .max_packets = kRedSpread * to.second};
      break;
    case BuiltIn::codel:
    case BuiltIn::fq_codel:
      q.discipline = kind == BuiltIn::codel ? net::Discipline::codel : net::Discipline::fq_codel;
      if (to.second > 0) q.codel.target = net::to_nanos(target_s);
      break;
    case BuiltIn::pie:
      q.discipline = net::Discipline::pie;
      if (to.second > 0) q.pie.target_s = target_s;
      break;
    case BuiltIn::dualpi2:
      q.discipline = net::Discipline::dualpi2;
      if (to.second > 0) q.dualpi2.target_s = target_s;
      break;
    case BuiltIn::known_path: {
      const double share = to.second > 0 ? to.second : 0.25;
      q.discipline = net::Discipline::tail_drop;
      q.limit_packets =
          static_cast<std::uint64_t>(std::max(2.0, std::ceil(share * workload_.bdp_packets)));
      break;
    }
    default:
      break;
  }
  q.limit_packets = std::min<std::uint64_t>(q.limit_packets, workload_.queue.limit_packets);
  sim_.queue().change(q, sim_.now());
  handed_ = to;
}

Aqm::Totals Aqm::totals() {
  return {.queue = sim_.queue().counts(),
          .delay_sum_s = sim_.delays().sum_s(),
          .delays = static_cast<double>(sim_.delays().count()),
          .capacity_bytes = sim_.capacity(),
          .delivered_bytes = static_cast<double>(sim_.counts().delivered_bytes)};
}

double Aqm::close_interval(double length_s) {
  constexpr double kBitsPerMegabit = 1e6, kWantedMs = 20;
  now_ = totals();
  const auto part = [](std::uint64_t now, std::uint64_t before) {
    return static_cast<double>(now - before);
  };
  const double delay_s =
      ratio(now_.delay_sum_s - before_.delay_sum_s, now_.delays - before_.delays);
  const double departed = part(now_.queue.dequeued, before_.queue.dequeued);
  dropped_ = part(now_.queue.dropped, before_.queue.dropped);
  marked_ = part(now_.queue.marked, before_.queue.marked);
  push_front(delay_, bounded(delay_s, kMostDelayS));
  push_front(arrived_, bounded(part(now_.queue.offered, before_.queue.offered), kMostPackets));
  push_front(departed_, bounded(departed, kMostPackets));
  if (waited_ && !sim_.queue().empty() && length_s > 0)
    seen_mbps_ = departed * workload_.path.packet_bytes * 8 / kBitsPerMegabit / length_s;
  const double could = now_.capacity_bytes - before_.capacity_bytes;
  const double delivered = now_.delivered_bytes - before_.delivered_bytes;
  before_ = now_;
  if (timeline_)
    timeline_.interval(net::to_seconds(sim_.now()), delay_s,
                       static_cast<double>(sim_.queue().packets()), dropped_, probability_);
  if (config_.objective == "park") return -std::abs(delay_s * 1e3 - kWantedMs);
  return could > 0 ? length_s * score_of(delivered / could, delay_s) : 0;
}

/// Reports the flows that have begun.
void Aqm::announce() {
  if (!timeline_) return;
  for (; announced_ < begins_.size(); ++announced_) {
    const net::FlowConfig& f = workload_.flows[begins_[announced_]];
    if (net::to_nanos(f.start_s) > sim_.now()) return;
    timeline_.arrival(f.start_s, begins_[announced_], f.round_trip_s);
  }
}

void Aqm::observe(Row row) const {
  const QueueLayout& l = layout_;
  const net::Queue& q = sim_.queue();
  row.scalar(l.time_s) = net::to_seconds(sim_.now());
  row.scalar(l.backlog) = bounded(static_cast<double>(q.packets()), kMostPackets);
  row.scalar(l.head_delay_s) = bounded(net::to_seconds(q.head_delay(sim_.now())), kMostDelayS);
  row.scalar(l.limit) = static_cast<float>(config_.queue_packets);
  row.scalar(l.probability) = bounded(probability_, 1);
  row.scalar(l.delay_s) = delay_[0];
  row.scalar(l.arrived) = arrived_[0];
  row.scalar(l.departed) = departed_[0];
  row.scalar(l.dropped) = bounded(dropped_, kMostPackets);
  row.scalar(l.marked) = bounded(marked_, kMostPackets);
  row.scalar(l.capacity_mbps) = bounded(seen_mbps_, kMostMbps);
  std::ranges::copy(delay_, row[l.past_delay_s].begin());
  std::ranges::copy(arrived_, row[l.past_arrived].begin());
  std::ranges::copy(departed_, row[l.past_departed].begin());
  double active = 0;
  for (std::uint32_t i = 0; i < sim_.flows(); ++i) active += sim_.active(i);
  row.scalar(l.flows) = bounded(active, kMostPackets);
}

double Aqm::jain() const noexcept {
  double sum = 0, squares = 0, n = 0;
  for (std::uint32_t i = 0; i < sim_.flows(); ++i) {
    const net::FlowConfig& f = sim_.flow_config(i);
    if (f.traffic != net::Traffic::bulk || f.sender == net::SenderKind::fixed) continue;
    const double acked = sim_.flow(i).counts().acked;
    sum += acked;
    squares += acked * acked;
    n += 1;
  }
  return ratio(sum * sum, n * squares);
}

void Aqm::metrics(std::span<double> out) const {
  const QueueLayout& l = layout_;
  const double utilisation = ratio(now_.delivered_bytes, now_.capacity_bytes);
  const double delay_s = ratio(now_.delay_sum_s, now_.delays);
  const auto offered = static_cast<double>(now_.queue.offered);
  const net::NetworkCounts& counts = sim_.counts();
  out[l.score] = score_of(utilisation, delay_s);
  out[l.utilisation] = utilisation;
  out[l.queue_ms] = delay_s * 1e3;
  out[l.queue_p95_ms] = sim_.delays().count() > 0 ? sim_.delays().quantile_s(0.95) * 1e3 : 0;
  out[l.steady_utilisation] = ratio(now_.delivered_bytes - at_steady_.delivered_bytes,
                                    now_.capacity_bytes - at_steady_.capacity_bytes);
  out[l.steady_queue_ms] =
      1e3 * ratio(now_.delay_sum_s - at_steady_.delay_sum_s, now_.delays - at_steady_.delays);
  out[l.dropped_share] = ratio(static_cast<double>(now_.queue.dropped), offered);
  out[l.marked_share] = ratio(static_cast<double>(now_.queue.marked), offered);
  out[l.jain] = jain();
  out[l.completion_s] = ratio(counts.completion_sum_s, static_cast<double>(counts.flows_finished));
}

std::unique_ptr<Env> Aqm::clone() const {
  auto copy = std::make_unique<Aqm>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::aqm
