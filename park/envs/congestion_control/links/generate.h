#pragma once

#include <cstdint>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/net/link.h"

namespace park::congestion_control::links {

/// A link whose rate is the exponential of an autoregressive process, with outages (net::LinkConfig).
struct GeneratorConfig {
  double mbps = 12, sigma = 0.5, step_s = 0.1, correlation_s = 1;
  double outage_share = 0.01, outage_mean_s = 0.5;
  bool poisson = false;
  double duration_s = 120;
  std::uint64_t seed = 1;

  bool operator==(const GeneratorConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("mbps", c.mbps,
          FieldDoc{.doc = "mean rate without outages", .unit = "Mbit/s", .min = 0.01, .max = 1e4});
    visit("sigma", c.sigma,
          FieldDoc{.doc = "standard deviation of the rate's logarithm", .min = 0, .max = 3});
    visit("step_s", c.step_s,
          FieldDoc{.doc = "how long a rate holds", .unit = "s", .min = 1e-3, .max = 1e3});
    visit("correlation_s", c.correlation_s,
          FieldDoc{.doc = "time in which the correlation of rates falls to 1 / e",
                   .unit = "s",
                   .min = 1e-3,
                   .max = 1e4});
    visit("outage_share", c.outage_share,
          FieldDoc{.doc = "share of the time without any opportunity", .min = 0, .max = 0.5});
    visit("outage_mean_s", c.outage_mean_s,
          FieldDoc{.doc = "mean length of an outage", .unit = "s", .min = 1e-3, .max = 1e3});
    visit("poisson", c.poisson,
          FieldDoc{.doc = "gaps between opportunities are memoryless instead of even"});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "length", .unit = "s", .min = 0.1, .max = 1e5});
    visit("seed", c.seed, FieldDoc{.doc = "of all draws"});
  }
  static void check(const GeneratorConfig&, Violations&);
};

/// Throws Error{bad_file} where no opportunity fits into the duration.
[[nodiscard]] net::Opportunities generate_link(const GeneratorConfig&);

}  // namespace park::congestion_control::links
