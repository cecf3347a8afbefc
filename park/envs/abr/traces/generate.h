#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/abr/network_trace.h"

namespace park::abr::traces {

/// Rises when the same parameters give other traces.
inline constexpr int kTraceGeneratorVersion = 1;

/// Parameters of synthetic traces of a cellular link; docs/network-traces.md describes the model.
struct TraceGeneratorConfig {
  std::uint64_t traces = 100, seed = 1;
  double duration_s = 320, interval_s = 1;
  std::uint32_t states = 6;
  double low_mbps = 0.4, high_mbps = 6, dwell_s = 20;
  double fading_sigma = 0.35, fading_s = 4;
  double outage_share = 0.02, outage_mean_s = 3;

  bool operator==(const TraceGeneratorConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("traces", c.traces, FieldDoc{.doc = "number of traces", .min = 1, .max = 1e5});
    visit("seed", c.seed,
          FieldDoc{.doc = "of all chance; trace k is the same for any number of traces"});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "length of a trace, rounded up to whole intervals",
                   .unit = "s",
                   .min = 0.001,
                   .max = 1e6});
    visit("interval_s", c.interval_s,
          FieldDoc{.doc = "time between two bandwidths", .unit = "s", .min = 0.001, .max = 1e4});
    visit(
        "states", c.states,
        FieldDoc{.doc = "levels of the Markov chain, from low_mbps to high_mbps with equal ratios; "
                        "1: low_mbps alone",
                 .min = 1,
                 .max = 1000});
    visit("low_mbps", c.low_mbps,
          FieldDoc{.doc = "lowest level", .unit = "Mbps", .min = 0.01, .max = 1e5});
    visit("high_mbps", c.high_mbps,
          FieldDoc{.doc = "highest level", .unit = "Mbps", .min = 0.01, .max = 1e5});
    visit("dwell_s", c.dwell_s,
          FieldDoc{.doc = "mean time at a level between the lowest and the highest, where it is "
                          "twice as long; the next one is a neighbour",
                   .unit = "s",
                   .min = 0.001,
                   .max = 1e6});
    visit(
        "fading_sigma", c.fading_sigma,
        FieldDoc{
            .doc = "standard deviation of the logarithm of bandwidth / level", .min = 0, .max = 2});
    visit("fading_s", c.fading_s,
          FieldDoc{.doc = "time after which the correlation of that logarithm is 1/e; 0: none",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6});
    visit("outage_share", c.outage_share,
          FieldDoc{.doc = "part of the time without any bandwidth", .min = 0, .max = 0.9});
    visit("outage_mean_s", c.outage_mean_s,
          FieldDoc{.doc = "mean length of an outage; at least interval_s",
                   .unit = "s",
                   .min = 0.001,
                   .max = 1e5});
  }

  static void check(const TraceGeneratorConfig&, Violations&);

  /// The levels, the lowest first.
  [[nodiscard]] std::vector<double> levels_mbps() const;
};

/// Trace k of the seed, the same for any number of traces, named cellular-0000.txt and so on.
/// Bandwidths are whole multiples of 0.001 Mbps, and 0 only in outages. REQUIRES a configuration
/// without violations.
[[nodiscard]] abr::NetworkTrace generate_trace(const TraceGeneratorConfig&, std::uint64_t k);

/// Traces 0 to traces - 1. The same parameters give the same bytes.
[[nodiscard]] std::vector<abr::NetworkTrace> generate_traces(const TraceGeneratorConfig&);

}  // namespace park::abr::traces
