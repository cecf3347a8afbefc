#include "park/envs/congestion_control/links/generate.h"

#include <algorithm>

#include "park/core/text.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {

void GeneratorConfig::check(const GeneratorConfig& c, Violations& bad) {
  if (c.outage_share > 0 && c.outage_mean_s < c.step_s)
    bad.add("outage_mean_s = " + number_text(c.outage_mean_s) +
            " is below step_s = " + number_text(c.step_s));
  if (c.mbps * c.duration_s * 1e6 / 12e3 > 1e8)
    bad.add("duration_s = " + number_text(c.duration_s) + " and mbps = " + number_text(c.mbps) +
            " make more than 1e8 opportunities");
}

net::Opportunities generate_link(const GeneratorConfig& c) {
  constexpr double kBytesPerMegabit = 125'000;
  const net::LinkConfig config{.bytes_per_s = c.mbps * kBytesPerMegabit,
                               .sigma = c.sigma,
                               .step_s = c.step_s,
                               .correlation_s = c.correlation_s,
                               .outage_share = c.outage_share,
                               .outage_mean_s = c.outage_mean_s,
                               .poisson = c.poisson};
  net::Link link;
  link.reset(config, Rng(c.seed).split("link"));
  net::Opportunities all;
  const net::Nanos end = net::to_nanos(c.duration_s);
  for (net::Nanos at = 0;;) {
    at = c.poisson ? link.opportunity(at) : link.departure(at, net::kOpportunityBytes);
    if (at > end) break;
    all.ms.push_back(static_cast<std::uint32_t>((at + net::kMillisecond - 1) / net::kMillisecond));
  }
  if (all.ms.empty()) throw Error(Errc::bad_file, "the link never carries 1500 bytes");
  return all;
}

}  // namespace park::congestion_control::links
