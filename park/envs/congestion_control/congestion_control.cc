// The environment around the simulator. reset draws a scenario and plays to the begin of flow 0; step
// applies the answer of the flow that asked, plays to the next question of any own flow and writes the
// row of that flow. An interval of a flow is closed when it asks: its counts give the reward and the
// newest entry of the history. Pool calls it.
#include "park/envs/congestion_control/congestion_control.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "park/net/opportunity_file.h"

namespace park::congestion_control {

using net::Nanos;

namespace {

constexpr double kBitsPerMegabit = 1e6;
constexpr double kStartupShare = 0.1;  ///< of the episode, from a flow's begin
/// A flow that knows nothing yet paces its first packets as if the round trip were 0.1 s.
constexpr double kFirstRate = net::kInitialWindow / 0.1;

[[nodiscard]] float bounded(double value, double most) noexcept {
  return static_cast<float>(std::clamp(value, 0.0, most));
}

/// 0 where nothing happened.
[[nodiscard]] double ratio(double part, double whole) noexcept {
  return whole > 0 ? part / whole : 0;
}

template <std::size_t n>
void push_front(std::array<float, n>& list, float value) noexcept {
  std::copy_backward(list.begin(), list.end() - 1, list.end());
  list[0] = value;
}

}  // namespace

Spec CongestionControl::spec(const Config& c) {
  static_cast<void>(c);
  return FlowLayout().spec(
      {.name = "congestion_control",
       .summary = "pacing rate and window of senders that share a link",
       .reference =
           "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
           "2019; Jay et al., A Deep Reinforcement Learning Perspective on Internet Congestion "
           "Control, ICML 2019; Yan et al., Pantheon: the training ground for Internet "
           "congestion-control research, USENIX ATC 2018",
       .version = 4,
       .traits = {.cloneable = true}});
}

CongestionControl::CongestionControl(const Config& c)
    : config_(c), family_(family_of(c.preset)), objective_(objective_of(c.objective)) {
  if (!c.link.empty()) listed_ = net::read_opportunities(c.link, "link");
}

void CongestionControl::add_flows(Rng inputs) {
  constexpr double kStagger = 0.2;
  flows_.clear();
  const net::FlowConfig plain{.round_trip_s = scenario_.round_trip_s,
                              .ecn = config_.ecn ? net::Ecn::ect0 : net::Ecn::not_capable};
  for (std::int32_t i = 0; i < config_.own; ++i) {
    net::FlowConfig& f = flows_.emplace_back(plain);
    f.sender = net::SenderKind::fixed;
    f.outside = true;
    const double first_s = flows_[0].start_s;
    const double latest_s = i > 0 ? kStagger * scenario_.duration_s : scenario_.base_rtt_s;
    f.start_s = first_s + inputs.split("begin").split(static_cast<std::uint64_t>(i)).uniform() *
                              std::min(latest_s, scenario_.duration_s / 2 - first_s);
  }
  for (const std::string& name : config_.beside) {
    net::FlowConfig& f = flows_.emplace_back(plain);
    f.sender = sender_of(name);
    f.start_s = std::min(config_.beside_start_s, scenario_.duration_s / 2);
  }
}

void CongestionControl::reset(const Episode& e, Row observation) {
  const Rng inputs(e.inputs);
  scenario_ = draw_scenario(config_, family_, listed_, inputs.split("scenario"));
  add_flows(inputs);
  sim_.reset(scenario_.link, scenario_.queue, scenario_.path, flows_, inputs, Rng(e.dynamics));
  duration_ = net::to_nanos(scenario_.duration_s);
  horizon_ = net::to_nanos(e.horizon_s);
  own_.assign(static_cast<std::size_t>(config_.own), Own{});
  common_begin_ = 0;
  for (const net::FlowConfig& f : flows_)
    common_begin_ = std::max(common_begin_, net::to_nanos(f.start_s));
  for (std::size_t i = 0; i < own_.size(); ++i)
    own_[i].begins = own_[i].next = own_[i].last = net::to_nanos(flows_[i].start_s);
  common_marked_ = false;
  common_acked_.assign(flows_.size(), 0);
  asking_ = announced_ = 0;
  capacity_bytes_ = 0;
  begins_.resize(flows_.size());
  std::iota(begins_.begin(), begins_.end(), 0U);
  std::ranges::sort(begins_, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(flows_[a].start_s, a) < std::pair(flows_[b].start_s, b);
  });
  if (timeline_) timeline_.begin(flows_.size());
  static_cast<void>(sim_.run(own_[0].begins));
  announce();
  static_cast<void>(close_interval(0));
  observe(observation);
}

Outcome CongestionControl::step(ConstRow action, Row observation) {
  const Nanos before = sim_.now();
  apply(action);
  Outcome o;
  if (advance()) {
    o.reward = close_interval(asking_);
    report(asking_);
    o.elapsed_s = net::to_seconds(sim_.now() - before);
  } else {
    o = finish(before);
  }
  observe(observation);
  return o;
}

void CongestionControl::apply(ConstRow action) {
  Own& own = own_[asking_];
  const float rate = action.scalar(layout_.rate);
  net::HandOver asked = net::read_hand_over(rate);
  const auto cap = static_cast<double>(action.scalar(layout_.cap));
  if (asked.kind > static_cast<int>(BuiltIn::clairvoyant)) asked = {};
  if (asked.kind > 0) {
    asked.first = net::from_unit(cap);
    if (asked != own.handed) hand_over(asked);
  } else {
    if (own.handed.kind > 0) hand_over({});
    set_rate(static_cast<double>(rate), cap);
  }
  own.handed = asked;
  own.timed_out = false;
  own.last = sim_.now();
  own.next = sim_.now() + interval_of(own, asking_);
}

/// Another sender goes on with the present window; one of the policy begins with the present rate.
void CongestionControl::hand_over(const net::HandOver& to) {
  const auto flow = static_cast<std::uint32_t>(asking_);
  net::Control control = sim_.flow(flow).control();
  control.quantum = 1;
  if (to.kind > 0) control.pacing = net::kUnpaced;
  const bool knows = to.kind == static_cast<int>(BuiltIn::clairvoyant);
  if (own_[asking_].handed.kind == static_cast<int>(BuiltIn::clairvoyant)) {
    sim_.set_filler(net::Simulator::kNone);
    control.window = net::kInitialWindow;
  }
  const auto kind = knows ? net::SenderKind::fixed : static_cast<net::SenderKind>(to.kind);
  const Rng rng = Rng(asking_).split("sender");
  sim_.set_sender(flow, net::make_sender(kind, to.first, to.second, rng));
  if (knows) {
    control.window = 0;
    sim_.set_filler(flow);
  }
  sim_.set_control(flow, control);
}

void CongestionControl::set_rate(double rate, double cap) {
  constexpr double kLeastWindow = 4, kLeastRate = 1, kMostRate = 1e9;
  constexpr double kAuroraUnit = 0.025 * 40, kAuroraLeast = 40, kAuroraMost = 1000;
  const auto flow = static_cast<std::uint32_t>(asking_);
  const net::Transport& t = sim_.flow(flow);
  net::Control c{.window = net::kUnpaced, .pacing = t.control().pacing, .quantum = 1};
  if (c.pacing == net::kUnpaced) c.pacing = t.rate() > 0 ? t.rate() : kFirstRate;
  if (config_.action == "cwnd") {
    c.window = std::pow(10, 5 * cap);
    c.pacing = net::kUnpaced;
  } else if (config_.action == "aurora") {
    const double change = 1 + kAuroraUnit * std::abs(rate);
    c.pacing =
        std::clamp(rate < 0 ? c.pacing / change : c.pacing * change, kAuroraLeast, kAuroraMost);
  } else {
    const double base = t.rate() > 0 ? (c.pacing + t.rate()) / 2 : c.pacing;
    c.pacing = std::clamp(base * std::exp2(2 * rate), kLeastRate, kMostRate);
    const double bdp = t.rate() * t.least_rtt_s();
    c.window = std::max(bdp > 0 ? bdp * std::exp2(6 * cap - 1) : net::kInitialWindow, kLeastWindow);
  }
  sim_.set_control(flow, c);
}

Nanos CongestionControl::interval_of(const Own& own, std::size_t flow) const noexcept {
  const double rtt_s = sim_.flow(static_cast<std::uint32_t>(flow)).smooth_rtt_s();
  const bool first = rtt_s == 0 && sim_.now() == own.begins;
  const double wanted_s = first ? scenario_.base_rtt_s : config_.interval_rtts * rtt_s;
  return std::max<Nanos>(net::to_nanos(std::max(wanted_s, scenario_.interval_least_s)), 1);
}

bool CongestionControl::advance() {
  for (;;) {
    const auto first = std::ranges::min_element(own_, {}, &Own::next);
    const Nanos end = std::max(std::min(duration_, horizon_), sim_.now());
    Nanos goal = std::min(first->next, end);
    if (!common_marked_) goal = std::min(goal, std::max(common_begin_, sim_.now()));
    const Nanos reached = sim_.run(goal);
    announce();
    if (const std::uint32_t flow = sim_.timed_out(); flow != net::Simulator::kNone) {
      if (reached >= end) return false;
      asking_ = flow;
      own_[flow].timed_out = true;
      return true;
    }
    if (!common_marked_ && reached >= common_begin_) mark_common_begin();
    if (reached >= end) return false;
    if (reached < first->next) continue;
    asking_ = static_cast<std::size_t>(first - own_.begin());
    return true;
  }
}

void CongestionControl::mark_common_begin() {
  common_marked_ = true;
  for (std::uint32_t i = 0; i < sim_.flows(); ++i) common_acked_[i] = sim_.flow(i).counts().acked;
}

/// What a flow did since its interval began.
Interval CongestionControl::interval_now(std::size_t flow) noexcept {
  const Own& own = own_[flow];
  const net::Transport& t = sim_.flow(static_cast<std::uint32_t>(flow));
  const net::FlowCounts& c = t.counts();
  const net::FlowCounts& b = own.before;
  Interval i{.length_s = net::to_seconds(sim_.now() - own.last),
             .sent = c.sent - b.sent,
             .acked = c.acked - b.acked,
             .lost = c.lost - b.lost,
             .marked = c.marked - b.marked,
             .rtt_s = t.smooth_rtt_s(),
             .samples = c.rtt_count - b.rtt_count,
             .least_rtt_s = t.least_rtt_s(),
             .packet_bytes = static_cast<double>(scenario_.path.packet_bytes),
             .capacity = capacity_packets() - own.capacity_before,
             .base_rtt_s = scenario_.base_rtt_s,
             .path_loss = scenario_.path.loss,
             .mean_capacity = scenario_.mean_bytes_per_s / scenario_.path.packet_bytes,
             .most_throughput = own.most_throughput,
             .flows = 0,
             .beside_acked = beside_acked() - own.beside_acked_before};
  for (std::uint32_t k = 0; k < sim_.flows(); ++k) {
    i.flows += sim_.active(k);
    if (k >= own_.size()) i.beside += sim_.active(k);
  }
  i.fair_share = 1.0 / static_cast<double>(std::max<std::size_t>(i.flows, 1));
  if (i.samples > 0) i.rtt_s = (c.rtt_sum_s - b.rtt_sum_s) / i.samples;
  if (i.length_s > 0) i.most_throughput = std::max(i.most_throughput, i.acked / i.length_s);
  return i;
}

/// Ends the interval of a flow now, and returns its reward.
double CongestionControl::close_interval(std::size_t flow) {
  Own& own = own_[flow];
  const Interval& i = own.interval = interval_now(flow);
  own.most_throughput = i.most_throughput;
  const double scale = i.length_s > 0 ? mbps(1 / i.length_s) : 0;
  const double all = i.lost + i.acked;
  push_front(own.sent, bounded(i.sent * scale, kMostMbps));
  push_front(own.acked, bounded(i.acked * scale, kMostMbps));
  push_front(own.rtt, bounded(i.samples > 0 ? i.rtt_s : 0, kMostRttS));
  push_front(own.lost, bounded(all > 0 ? i.lost / all : 0, 1));
  // Before its first question a flow is not there: the capacity until then is none of its own.
  if (i.length_s > 0) own.could += i.capacity * i.fair_share;
  own.capacity_before = capacity_packets();
  own.beside_acked_before = beside_acked();
  own.before = sim_.flow(static_cast<std::uint32_t>(flow)).counts();
  own.last = sim_.now();
  const auto startup = static_cast<Nanos>(kStartupShare * static_cast<double>(duration_));
  if (!own.steady && sim_.now() >= own.begins + startup) {
    own.steady = true;
    own.startup = so_far(flow);
  }
  return reward_of(objective_, i);
}

double CongestionControl::capacity_packets() noexcept {
  return sim_.capacity() / scenario_.path.packet_bytes;
}

double CongestionControl::beside_acked() const noexcept {
  double acked = 0;
  for (auto k = static_cast<std::uint32_t>(own_.size()); k < sim_.flows(); ++k)
    acked += sim_.flow(k).counts().acked;
  return acked;
}

void CongestionControl::report(std::size_t flow) {
  if (!timeline_) return;
  const Own& own = own_[flow];
  const double now_s = net::to_seconds(sim_.now());
  timeline_.link(now_s, sim_.bytes_per_s() * 8 / kBitsPerMegabit,
                 net::to_seconds(sim_.queue().head_delay(sim_.now())) * 1e3);
  timeline_.flow(now_s, flow, static_cast<double>(own.sent[0]), static_cast<double>(own.acked[0]),
                 own.interval.lost);
}

/// Reports the flows that have begun.
void CongestionControl::announce() {
  if (!timeline_) return;
  for (; announced_ < begins_.size(); ++announced_) {
    const net::FlowConfig& f = flows_[begins_[announced_]];
    if (net::to_nanos(f.start_s) > sim_.now()) return;
    timeline_.arrival(f.start_s, begins_[announced_], f.round_trip_s);
  }
}

Outcome CongestionControl::finish(Nanos before) {
  Outcome o{.end = duration_ <= horizon_ ? End::terminated : End::truncated};
  for (std::size_t i = 0; i < own_.size(); ++i)
    if (own_[i].begins <= sim_.now()) {
      o.reward += close_interval(i);
      report(i);
    }
  capacity_bytes_ = sim_.capacity();
  o.elapsed_s = net::to_seconds(sim_.now() - before);
  return o;
}

double CongestionControl::mbps(double packets_per_s) const noexcept {
  return packets_per_s * scenario_.path.packet_bytes * 8 / kBitsPerMegabit;
}

void CongestionControl::observe(Row row) {
  const FlowLayout& l = layout_;
  const Own& own = own_[asking_];
  const net::Transport& t = sim_.flow(static_cast<std::uint32_t>(asking_));
  const double unpaced = kMostMbps;
  const double paced = t.control().pacing;
  row.scalar(l.time_s) = net::to_seconds(sim_.now());
  row.scalar(l.flow) = static_cast<std::int32_t>(asking_);
  row.scalar(l.asked_by_timeout) = own.timed_out ? 1.0F : 0.0F;
  row.scalar(l.age_s) = bounded(net::to_seconds(sim_.now() - own.begins), kMostDurationS);
  row.scalar(l.pacing_mbps) = bounded(paced == net::kUnpaced ? unpaced : mbps(paced), kMostMbps);
  row.scalar(l.window) = bounded(t.control().window, kMostPackets);
  row.scalar(l.inflight) = bounded(t.inflight(), kMostPackets);
  row.scalar(l.packet_bytes) = static_cast<float>(scenario_.path.packet_bytes);
  row.scalar(l.delivery_mbps) = bounded(mbps(t.rate()), kMostMbps);
  row.scalar(l.app_limited) = t.app_limited() ? 1.0F : 0.0F;
  row.scalar(l.rtt_s) = bounded(t.last_rtt_s(), kMostRttS);
  row.scalar(l.smooth_rtt_s) = bounded(t.smooth_rtt_s(), kMostRttS);
  row.scalar(l.least_rtt_s) = bounded(t.least_rtt_s(), kMostRttS);
  row.scalar(l.capacity_mbps) = bounded(sim_.bytes_per_s() * 8 / kBitsPerMegabit, kMostMbps);
  row.scalar(l.queue) = bounded(static_cast<double>(sim_.queue().packets()), kMostPackets);
  observe_past(row);
}

void CongestionControl::observe_past(Row row) const {
  const FlowLayout& l = layout_;
  const Own& own = own_[asking_];
  row.scalar(l.interval_s) = bounded(own.interval.length_s, kMostDurationS);
  row.scalar(l.sent) = bounded(own.interval.sent, kMostPackets);
  row.scalar(l.acked) = bounded(own.interval.acked, kMostPackets);
  row.scalar(l.lost) = bounded(own.interval.lost, kMostPackets);
  row.scalar(l.marked) = bounded(own.interval.marked, kMostPackets);
  std::ranges::copy(own.sent, row[l.past_sent_mbps].begin());
  std::ranges::copy(own.acked, row[l.past_acked_mbps].begin());
  std::ranges::copy(own.rtt, row[l.past_rtt_s].begin());
  std::ranges::copy(own.lost, row[l.past_lost_share].begin());
}

CongestionControl::Part CongestionControl::Part::since(const Part& before) const noexcept {
  return {.acked = acked - before.acked,
          .lost = lost - before.lost,
          .rtt_sum_s = rtt_sum_s - before.rtt_sum_s,
          .rtt_count = rtt_count - before.rtt_count,
          .could = could - before.could};
}

CongestionControl::Part CongestionControl::so_far(std::size_t flow) const noexcept {
  const net::FlowCounts& c = sim_.flow(static_cast<std::uint32_t>(flow)).counts();
  return {.acked = c.acked,
          .lost = c.lost,
          .rtt_sum_s = c.rtt_sum_s,
          .rtt_count = c.rtt_count,
          .could = own_[flow].could};
}

double CongestionControl::score_of(const Part& p) const noexcept {
  constexpr double kLeastPackets = 0.5;
  if (p.could <= 0) return 0;
  const double rtt_s = p.rtt_count > 0 ? p.rtt_sum_s / p.rtt_count : scenario_.base_rtt_s;
  const double own_loss = std::max(0.0, ratio(p.lost, p.lost + p.acked) - scenario_.path.loss);
  const double used = std::min(std::max(p.acked, kLeastPackets) / p.could, 1.0);
  return std::log(used) - 0.5 * std::log(std::max(rtt_s / scenario_.base_rtt_s, 1.0)) -
         2 * own_loss;
}

double CongestionControl::jain() const noexcept {
  double sum = 0, squares = 0, n = 0;
  for (std::uint32_t i = 0; i < own_.size(); ++i) {
    const double there_s = net::to_seconds(sim_.now() - own_[i].begins);
    if (there_s <= 0) continue;
    const double rate = sim_.flow(i).counts().acked / there_s;
    sum += rate;
    squares += rate * rate;
    n += 1;
  }
  return ratio(sum * sum, n * squares);
}

double CongestionControl::share() const noexcept {
  double own = 0, all = 0;
  for (std::uint32_t i = 0; i < sim_.flows(); ++i) {
    const double acked = sim_.flow(i).counts().acked - common_acked_[i];
    all += acked;
    if (i < own_.size()) own += acked;
  }
  return ratio(own, all);
}

void CongestionControl::metrics(std::span<double> out) const {
  const FlowLayout& l = layout_;
  double scores = 0, startups = 0, steadies = 0, steady_flows = 0;
  double flows = 0, acked = 0, lost = 0, rtt_s = 0, samples = 0, timeouts = 0;
  for (std::uint32_t i = 0; i < own_.size(); ++i) {
    if (own_[i].begins > sim_.now()) continue;
    const net::FlowCounts& c = sim_.flow(i).counts();
    const Part all = so_far(i);
    scores += score_of(all);
    startups += score_of(own_[i].steady ? own_[i].startup : all);
    if (own_[i].steady) steadies += score_of(all.since(own_[i].startup));
    steady_flows += own_[i].steady;
    flows += 1;
    acked += c.acked;
    lost += c.lost;
    rtt_s += c.rtt_sum_s;
    samples += c.rtt_count;
    timeouts += c.timeouts;
  }
  const net::DelayHistogram& waits = sim_.delays();
  const bool any = waits.count() > 0;
  out[l.score] = ratio(scores, flows);
  out[l.startup_score] = ratio(startups, flows);
  out[l.steady_score] = ratio(steadies, steady_flows);
  out[l.utilisation] = ratio(static_cast<double>(sim_.counts().delivered_bytes), capacity_bytes_);
  out[l.goodput_mbps] = mbps(ratio(acked, net::to_seconds(sim_.now())));
  out[l.queue_ms] = any ? waits.mean_s() * 1e3 : 0;
  out[l.queue_p95_ms] = any ? waits.quantile_s(0.95) * 1e3 : 0;
  out[l.rtt_ms] = ratio(rtt_s, samples) * 1e3;
  out[l.own_loss] = std::max(0.0, ratio(lost, lost + acked) - scenario_.path.loss);
  out[l.jain] = jain();
  out[l.share] = share();
  out[l.timeouts] = timeouts;
}

std::unique_ptr<Env> CongestionControl::clone() const {
  auto copy = std::make_unique<CongestionControl>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::congestion_control
