// The links and senders of each preset, after RFC 7928 where the name says so: mild, medium and heavy
// congestion (section 8.2), a mix of senders (5), unequal round trips (6), bursts (7) and a capacity
// that changes (8.2.6). Every quantity is drawn from a stream of its own.
#include "park/envs/aqm/workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace park::aqm {
namespace {

constexpr double kBytesPerMegabit = 125'000, kPacketBytes = 1500;

struct Range {
  double low, high;
  [[nodiscard]] double draw(Rng rng) const noexcept {
    return low < high ? std::exp(rng.uniform(std::log(low), std::log(high))) : low;
  }
};

/// What a preset draws from.
struct Family {
  Range mbps{4, 48}, round_trip_s{0.015, 0.18}, flows{1, 50};
  bool spread = false;       ///< every flow has a round trip of its own
  bool all_senders = false;  ///< copa, vegas and bbr too
  double web = 0;            ///< on-off flows per Mbit/s
  double udp = 0;            ///< share of the link that constant rates ask for
  double sigma = 0;          ///< of the logarithm of the link's rate
  double duration_s = 20;
};

Family family_of(const std::string& preset) {
  if (preset == "web") return {.flows = {1, 4}, .web = 1};
  if (preset == "udp") return {.flows = {1, 10}, .udp = 0.4};
  if (preset == "rfc7928-mild") return {.flows = {1, 5}};
  if (preset == "rfc7928-medium") return {.flows = {6, 20}};
  if (preset == "rfc7928-heavy") return {.flows = {50, 200}};
  if (preset == "rfc7928-senders") return {.flows = {5, 10}, .all_senders = true};
  if (preset == "rfc7928-rtts") return {.flows = {2, 10}, .spread = true};
  if (preset == "rfc7928-bursts") return {.flows = {1, 5}, .web = 3};
  if (preset == "rfc7928-capacity") return {.flows = {1, 10}, .sigma = 0.5};
  if (preset == "park")
    return {.mbps = {12, 12}, .round_trip_s = {0.05, 0.05}, .flows = {1, 1}, .duration_s = 120};
  return {};
}

void add_long_flows(const AqmConfig& c, const Family& f, Rng rng, Workload& w) {
  using net::SenderKind;
  constexpr double kStaggerS = 0.5;
  const double drawn = f.flows.draw(rng.split("flows"));
  const auto n = c.flows > 0 ? c.flows : static_cast<std::int32_t>(std::lround(drawn));
  const std::uint64_t mix = rng.split("mix").below(3);
  for (std::int32_t i = 0; i < n; ++i) {
    const Rng own = rng.split("flow").split(static_cast<std::uint64_t>(i));
    net::FlowConfig flow{.round_trip_s = w.round_trip_s};
    if (f.spread) flow.round_trip_s = f.round_trip_s.draw(own.split("round trip"));
    const bool reno = mix == 1 || (mix == 2 && i % 2 == 1);
    flow.sender = reno ? SenderKind::reno : SenderKind::cubic;
    if (f.all_senders) {
      constexpr std::array kAll{SenderKind::cubic, SenderKind::reno, SenderKind::bbr,
                                SenderKind::copa, SenderKind::vegas};
      flow.sender = kAll[own.split("sender").below(kAll.size())];
    }
    flow.start_s = own.split("begin").uniform() * kStaggerS;
    w.flows.push_back(flow);
  }
}

void add_web(const Family& f, Rng rng, Workload& w) {
  const double wanted = f.web * w.mean_bytes_per_s / kBytesPerMegabit;
  const auto n = static_cast<std::uint64_t>(std::min(std::ceil(wanted), 200.0));
  for (std::uint64_t i = 0; i < n && f.web > 0; ++i) {
    net::FlowConfig flow{.round_trip_s = w.round_trip_s};
    flow.traffic = net::Traffic::on_off;
    flow.size_packets = 30;
    flow.size_shape = 1.2;
    flow.pause_s = 1;
    flow.start_s = rng.split("web").split(i).uniform() * 2;
    w.flows.push_back(flow);
  }
}

void add_udp(const Family& f, Rng rng, Workload& w) {
  constexpr int kSenders = 2;
  for (std::uint64_t i = 0; i < kSenders && f.udp > 0; ++i) {
    const Rng own = rng.split("udp").split(i);
    net::FlowConfig flow{.round_trip_s = w.round_trip_s};
    flow.sender = net::SenderKind::fixed;
    const double share = own.split("rate").uniform(0.2, 1) * f.udp / kSenders;
    flow.packets_per_s = share * w.mean_bytes_per_s / kPacketBytes;
    flow.start_s = own.split("begin").uniform() * w.duration_s / 4;
    w.flows.push_back(flow);
  }
}

}  // namespace

void draw_workload(const AqmConfig& c, const std::shared_ptr<const net::Opportunities>& listed,
                   Rng rng, Workload& w) {
  const Family f = family_of(c.preset);
  w.flows.clear();
  w.link = {};
  w.link.bytes_per_s = f.mbps.draw(rng.split("rate")) * kBytesPerMegabit;
  w.link.sigma = f.sigma;
  w.link.step_s = 1;
  w.link.correlation_s = 5;
  w.link.opportunities = listed;
  w.link.start_share = rng.split("start").uniform();
  if (listed)
    w.link.bytes_per_s = static_cast<double>(listed->ms.size()) * net::kOpportunityBytes /
                         net::to_seconds(listed->period());
  w.mean_bytes_per_s = w.link.bytes_per_s;
  w.round_trip_s = f.round_trip_s.draw(rng.split("round trip"));
  w.duration_s = c.duration_s > 0 ? c.duration_s : f.duration_s;
  w.bdp_packets = w.mean_bytes_per_s * w.round_trip_s / kPacketBytes;
  w.queue = {};
  w.queue.discipline = net::Discipline::probability;
  w.queue.limit_packets = static_cast<std::uint64_t>(c.queue_packets);
  w.queue.ecn = c.ecn;
  w.queue.packets_per_s = w.mean_bytes_per_s / kPacketBytes;
  add_long_flows(c, f, rng, w);
  add_web(f, rng, w);
  add_udp(f, rng, w);
  for (net::FlowConfig& flow : w.flows) flow.ecn = c.ecn ? net::Ecn::ect0 : net::Ecn::not_capable;
}

}  // namespace park::aqm
