// The links of each preset, and the draw of one of them. Figures of Pantheon's scenarios are those that
// its emulators were published with (one-way delays there, round trips here). Each quantity is drawn
// from a stream of its own, so that another field leaves the others as they are.
#include "park/envs/congestion_control/scenario.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace park::congestion_control {
namespace {

constexpr double kBytesPerMegabit = 125'000;

struct Pantheon {
  double mbps, one_way_ms, loss, packets;
  bool poisson;
};
/// 13 and 14 limit the acks; their forward link is that of 18. Queues of 15 to 18 are 9, 30, 45, 90 kB.
constexpr std::array<Pantheon, 18> kPantheon{{{0.57, 28, 0.0477, 14, true},
                                              {2.64, 88, 0, 130, true},
                                              {3.04, 130, 0, 426, true},
                                              {100.42, 27, 0, 173, false},
                                              {77.72, 51, 0.0006, 94, false},
                                              {114.68, 45, 0, 450, false},
                                              {12, 10, 0, 1, false},
                                              {60, 10, 0, 1, false},
                                              {108, 10, 0, 1, false},
                                              {12, 50, 0, 1, false},
                                              {60, 50, 0, 1, false},
                                              {108, 50, 0, 1, false},
                                              {12, 30, 0, 60, false},
                                              {12, 30, 0, 60, false},
                                              {12, 30, 0, 6, false},
                                              {12, 30, 0, 20, false},
                                              {12, 30, 0, 30, false},
                                              {12, 30, 0, 60, false}}};

Range fixed(double value) { return {value, value, false}; }

LinkFamily pantheon(std::size_t number) {
  const Pantheon& p = kPantheon[number - 1];
  LinkFamily f{.mbps = fixed(p.mbps),
               .round_trip_s = fixed(2 * p.one_way_ms / 1e3),
               .queue_packets = fixed(p.packets),
               .loss = fixed(p.loss),
               .poisson = p.poisson};
  if (number == 13) f.ack_link_mbps = 0.12;
  if (number == 14) f.ack_period_s = 0.2;
  return f;
}

LinkFamily wan() {
  return {.mbps = {2, 60, true},
          .round_trip_s = {0.01, 0.15, false},
          .queue_bdp = {0.5, 5, true},
          .loss = {0, 0.01, false},
          .lossless_share = 0.7,
          .sigma = {0.1, 0.5, false},
          .outage_share = 0.01,
          .outages_on = 0.2};
}

LinkFamily policed() {
  return {.mbps = {50, 200, true},
          .round_trip_s = {0.01, 0.15, false},
          .queue_bdp = {0.5, 2, true},
          .policed = {0.05, 0.4, true},
          .burst_s = {0.02, 0.5, true}};
}

LinkFamily cellular() {
  return {.mbps = {1, 20, true},
          .round_trip_s = {0.03, 0.1, false},
          .queue_packets = fixed(1000),
          .sigma = {0.4, 1, false},
          .step_s = 0.02,
          .outage_share = 0.02,
          .outages_on = 0.5,
          .poisson = true,
          .duration_s = 60};
}

LinkFamily datacentre() {
  return {.mbps = {1e4, 1e5, true},
          .round_trip_s = {20e-6, 200e-6, true},
          .queue_packets = {100, 1000, true},
          .duration_s = 0.02,
          .interval_scale = 0.01,
          .packet_bytes = 9000};
}

net::LinkConfig draw_link(const CongestionControlConfig& c, const LinkFamily& f,
                          const std::shared_ptr<const net::Opportunities>& listed, const Rng& rng) {
  net::LinkConfig link;
  link.bytes_per_s =
      (c.rate_mbps > 0 ? c.rate_mbps : f.mbps.draw(rng.split("rate"))) * kBytesPerMegabit;
  link.sigma = f.sigma.draw(rng.split("sigma"));
  link.step_s = f.step_s;
  link.correlation_s = f.correlation_s;
  if (rng.split("outages").uniform() < f.outages_on) link.outage_share = f.outage_share;
  link.poisson = f.poisson;
  link.opportunities = listed;
  link.start_share = rng.split("start").uniform();
  if (listed)
    link.bytes_per_s = static_cast<double>(listed->ms.size()) * net::kOpportunityBytes /
                       net::to_seconds(listed->period());
  return link;
}

net::PathConfig draw_path(const CongestionControlConfig& c, const LinkFamily& f, const Rng& rng) {
  net::PathConfig path;
  const bool lossless = rng.split("lossless").uniform() < f.lossless_share;
  const double drawn = lossless ? 0 : f.loss.draw(rng.split("loss"));
  path.loss = c.loss == kAsDrawn ? drawn : c.loss;
  path.ack_link_bytes_per_s = f.ack_link_mbps * kBytesPerMegabit;
  path.ack_period_s = f.ack_period_s;
  path.packet_bytes = f.packet_bytes;
  return path;
}

}  // namespace

double Range::draw(Rng rng) const noexcept {
  if (!(high > low)) return low;
  return logarithmic ? std::exp(rng.uniform(std::log(low), std::log(high)))
                     : rng.uniform(low, high);
}

LinkFamily family_of(const std::string& preset) {
  constexpr std::string_view kPrefix = "pantheon-";
  if (preset.starts_with(kPrefix))
    return pantheon(static_cast<std::size_t>(std::stoi(preset.substr(kPrefix.size()))));
  if (preset == "cellular") return cellular();
  if (preset == "policed") return policed();
  if (preset == "datacentre") return datacentre();
  if (preset == "satellite")
    return {.mbps = {10, 50, true},
            .round_trip_s = {0.55, 0.65, false},
            .queue_bdp = {0.5, 2, true},
            .loss = {0, 0.01, false},
            .lossless_share = 0.5,
            .duration_s = 120};
  if (preset == "park") return {.queue_packets = fixed(2000), .duration_s = 120};
  if (preset == "aurora")  // 100-500 packets of 1500 bytes a second, one-way 50-500 ms
    return {.mbps = {1.2, 6, false},
            .round_trip_s = {0.1, 1, false},
            .queue_packets = {2, 2981, true},
            .loss = {0, 0.05, false},
            .duration_rtts = 200};
  if (preset == "genet")
    return {.mbps = {0.1, 100, true},
            .round_trip_s = {0.004, 0.4, false},
            .queue_bdp = {0.2, 3, false},
            .loss = {0, 0.05, false},
            .sigma = {0, 0.6, false},
            .step_s = 7.5,
            .correlation_s = 5};
  LinkFamily f = wan();
  if (preset == "wan-x10") f.mbps = {20, 600, true};
  return f;
}

net::Discipline discipline_of(const std::string& name) noexcept {
  using net::Discipline;
  if (name == "red") return Discipline::red;
  if (name == "codel") return Discipline::codel;
  if (name == "pie") return Discipline::pie;
  if (name == "fq_codel") return Discipline::fq_codel;
  return name == "dualpi2" ? Discipline::dualpi2 : Discipline::tail_drop;
}

net::SenderKind sender_of(const std::string& name) noexcept {
  using net::SenderKind;
  if (name == "reno") return SenderKind::reno;
  if (name == "vegas") return SenderKind::vegas;
  if (name == "copa") return SenderKind::copa;
  if (name == "bbr") return SenderKind::bbr;
  return name == "dctcp" ? SenderKind::dctcp : SenderKind::cubic;
}

Scenario draw_scenario(const CongestionControlConfig& c, const LinkFamily& f,
                       const std::shared_ptr<const net::Opportunities>& listed, Rng rng) {
  Scenario s;
  s.round_trip_s = c.rtt_ms > 0 ? c.rtt_ms / 1e3 : f.round_trip_s.draw(rng.split("round trip"));
  s.link = draw_link(c, f, listed, rng);
  s.mean_bytes_per_s = s.link.bytes_per_s;
  s.base_rtt_s = s.round_trip_s + f.packet_bytes / s.mean_bytes_per_s;
  const double bdp = s.mean_bytes_per_s * s.round_trip_s / f.packet_bytes;
  const double drawn = f.queue_bdp.high > 0 ? f.queue_bdp.draw(rng.split("queue")) * bdp
                                            : f.queue_packets.draw(rng.split("queue"));
  const double packets = c.queue_packets > 0 ? c.queue_packets : std::max(drawn, 1.0);
  s.queue.discipline = discipline_of(c.queue);
  s.queue.limit_packets = static_cast<std::uint64_t>(std::lround(packets));
  s.queue.ecn = c.ecn;
  s.queue.packets_per_s = s.mean_bytes_per_s / f.packet_bytes;
  if (f.policed.high > 0) {
    s.mean_bytes_per_s *= f.policed.draw(rng.split("policed"));
    s.queue.policer = {
        .bytes_per_s = s.mean_bytes_per_s,
        .burst_bytes = std::max<double>(s.mean_bytes_per_s * f.burst_s.draw(rng.split("burst")),
                                        2 * f.packet_bytes)};
  }
  s.path = draw_path(c, f, rng);
  s.duration_s = f.duration_rtts > 0 ? f.duration_rtts * s.round_trip_s : f.duration_s;
  if (c.duration_s > 0) s.duration_s = c.duration_s;
  s.interval_least_s = c.interval_least_s * f.interval_scale;
  return s;
}

}  // namespace park::congestion_control
