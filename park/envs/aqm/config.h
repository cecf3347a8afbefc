// The configuration of aqm: which links and senders are drawn, how often a decision is asked and what
// it is rewarded for. The code in workload.h draws an episode from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::aqm {

inline constexpr std::int32_t kMostFlows = 200;
inline constexpr double kMostDurationS = 1e5;

struct AqmConfig {
  std::string preset = "mixed";
  std::string link{};
  std::int32_t flows = 0;
  std::int32_t queue_packets = 1000;
  bool ecn = false;
  double interval_s = 0.02;
  double most_probability = 1;
  double exponent = 6;
  std::string objective = "score";
  double duration_s = 0;
  double horizon_s = kInf;

  bool operator==(const AqmConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "preset", c.preset,
        FieldDoc{.doc = "the links and senders that episodes draw. mixed: 4-48 Mbit/s, 15-180 ms, "
                        "1-50 flows of cubic, reno or both, 20 s. web: on-off flows beside a few "
                        "long ones. udp: constant rates beside long flows. rfc7928-mild, -medium, "
                        "-heavy, -senders, -rtts, -bursts, -capacity: the scenarios of RFC 7928. "
                        "park: Park's link",
                 .choices = "mixed|web|udp|rfc7928-mild|rfc7928-medium|rfc7928-heavy|"
                            "rfc7928-senders|rfc7928-rtts|rfc7928-bursts|rfc7928-capacity|park"});
    visit(
        "link", c.link,
        FieldDoc{.doc = "file of opportunities in place of the preset's rate: a line is a time in "
                        "ms at which 1500 bytes may leave, as Mahimahi has it; an episode begins "
                        "anywhere in it",
                 .names = Names::file});
    visit("flows", c.flows,
          FieldDoc{.doc = "long flows; 0: as the preset draws them", .min = 0, .max = kMostFlows});
    visit("queue_packets", c.queue_packets,
          FieldDoc{.doc = "packets that the queue holds", .min = 1, .max = 1e6});
    visit("ecn", c.ecn, FieldDoc{.doc = "packets are marked instead of dropped"});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "time between two decisions", .unit = "s", .min = 1e-4, .max = 10});
    visit("most_probability", c.most_probability,
          FieldDoc{.doc = "the probability that the action 1 stands for; Park: 0.2",
                   .min = 1e-3,
                   .max = 1});
    visit("exponent", c.exponent,
          FieldDoc{.doc = "the action is raised to it: useful probabilities lie from 0.001 to 0.1, "
                          "which 6 spreads over half of the range; Park: 1",
                   .min = 1,
                   .max = 10});
    visit("objective", c.objective,
          FieldDoc{.doc =
                       "the reward. score: per second, ln(utilisation) - 0.1 ln(1 + delay / 5 ms). "
                       "park: -|delay - 20 ms| in ms, per decision",
                   .choices = "score|park"});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "length of an episode; 0: the preset's",
                   .unit = "s",
                   .min = 0,
                   .max = kMostDurationS});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training", .unit = "s", .min = 1e-6});
  }

  /// The rules between fields.
  static void check(const AqmConfig&, Violations&);

  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

}  // namespace park::aqm
