// The configuration of congestion_control: which links are drawn, who sends, what a decision sets and
// what it is rewarded for. The code in scenario.h draws an episode's link from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::congestion_control {

inline constexpr std::int32_t kMostOwn = 16;    ///< flows that are decided
inline constexpr std::size_t kMostBeside = 64;  ///< other flows
inline constexpr double kMostDurationS = 1e5;
inline constexpr double kAsDrawn = -1;  ///< loss: the preset's

struct CongestionControlConfig {
  std::string preset = "wan";
  std::string link{};
  double rate_mbps = 0, rtt_ms = 0, loss = kAsDrawn;
  std::int32_t own = 1;
  std::vector<std::string> beside{};
  double beside_start_s = 2;
  std::string queue = "tail_drop";
  std::int32_t queue_packets = 0;
  bool ecn = false;
  std::string action = "rate";
  std::string objective = "score";
  double interval_rtts = 0.5, interval_least_s = 0.005;
  double duration_s = 0;
  double horizon_s = kInf;

  bool operator==(const CongestionControlConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "preset", c.preset,
        FieldDoc{
            .doc = "the links that episodes draw from. wan: 2-60 Mbit/s that change every "
                   "0.1 s, 10-150 ms, 30 s. wan-x10: ten times these rates. policed: a "
                   "policer with 5-40 % of 50-200 Mbit/s. cellular: opportunities with fading and "
                   "outages, 60 s. datacentre: 10-100 Gbit/s, 20-200 us, 20 ms. satellite: "
                   "10-50 Mbit/s, 600 ms, 120 s. pantheon-1 to pantheon-18: the published "
                   "scenarios. park, aurora, genet: the links of these papers",
            .choices = "wan|wan-x10|policed|cellular|datacentre|satellite|pantheon-1|pantheon-2|"
                       "pantheon-3|"
                       "pantheon-4|pantheon-5|pantheon-6|pantheon-7|pantheon-8|pantheon-9|"
                       "pantheon-10|pantheon-11|pantheon-12|pantheon-13|pantheon-14|"
                       "pantheon-15|pantheon-16|pantheon-17|pantheon-18|park|aurora|genet"});
    visit(
        "link", c.link,
        FieldDoc{.doc = "file of opportunities in place of the preset's rate: a line is a time in "
                        "ms at which 1500 bytes may leave, as Mahimahi has it; an episode begins "
                        "anywhere in it",
                 .names = Names::file});
    visit("rate_mbps", c.rate_mbps,
          FieldDoc{
              .doc = "mean rate of the link, in place of the preset's; 0: as the preset draws it",
              .unit = "Mbit/s",
              .min = 0,
              .max = 1e6});
    visit("rtt_ms", c.rtt_ms,
          FieldDoc{.doc = "propagation both ways; 0: as the preset draws it",
                   .unit = "ms",
                   .min = 0,
                   .max = 1e5});
    visit(
        "loss", c.loss,
        FieldDoc{.doc = "share of the packets that are lost at random behind the link; -1: as the "
                        "preset draws it",
                 .min = kAsDrawn,
                 .max = 0.9});
    visit("own", c.own,
          FieldDoc{.doc = "flows that the policy decides; each asks for itself",
                   .min = 1,
                   .max = kMostOwn});
    visit("beside", c.beside,
          FieldDoc{.doc = "senders of other flows on the link, at most 64",
                   .choices = "reno|cubic|vegas|copa|bbr|dctcp"});
    visit("beside_start_s", c.beside_start_s,
          FieldDoc{.doc = "when the other flows begin; at most half of the episode",
                   .unit = "s",
                   .min = 0,
                   .max = kMostDurationS});
    visit("queue", c.queue,
          FieldDoc{.doc = "discipline of the queue",
                   .choices = "tail_drop|red|codel|pie|fq_codel|dualpi2"});
    visit("queue_packets", c.queue_packets,
          FieldDoc{.doc = "packets that the queue holds; 0: as the preset draws them",
                   .min = 0,
                   .max = 1e6});
    visit("ecn", c.ecn, FieldDoc{.doc = "packets may be marked instead of dropped"});
    visit(
        "action", c.action,
        FieldDoc{.doc = "what the heads set. rate: `rate` changes the pacing rate and `cap` bounds "
                        "what is in flight. cwnd: `cap` is the window in packets. aurora: `rate` "
                        "changes the sending rate by 2.5 % per unit, as in Aurora",
                 .choices = "rate|cwnd|aurora"});
    visit("objective", c.objective,
          FieldDoc{.doc = "the reward; see the page of the environment. All but park, aurora and "
                          "aurora_compat use what a sender cannot know",
                   .choices = "score|fair|park|aurora|aurora_compat|genet|orca|sage"});
    visit("interval_rtts", c.interval_rtts,
          FieldDoc{.doc = "time between two decisions of a flow, in its smoothed round trips",
                   .min = 0,
                   .max = 1e3});
    visit("interval_least_s", c.interval_least_s,
          FieldDoc{.doc = "shortest time between two decisions of a flow; the preset datacentre "
                          "divides it by 100",
                   .unit = "s",
                   .min = 1e-4,
                   .max = 1e3});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "length of an episode; 0: the preset's",
                   .unit = "s",
                   .min = 0,
                   .max = kMostDurationS});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training", .unit = "s", .min = 1e-6});
  }

  /// The rules between fields.
  static void check(const CongestionControlConfig&, Violations&);

  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

}  // namespace park::congestion_control
