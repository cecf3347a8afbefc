#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "park/envs/abr/network_trace.h"

namespace park::abr::traces {

/// A trace in figures; bandwidths are weighted by the duration of their intervals. An outage is a
/// run of intervals with the bandwidth 0.
struct TraceSummary {
  std::string name;
  std::size_t intervals = 0;
  double duration_s = 0;
  double mean_mbps = 0, sd_mbps = 0, min_mbps = 0, max_mbps = 0;
  double autocorrelation = 0;  ///< between an interval and the next one; NaN if all are equal
  double outage_share = 0;
  std::uint64_t outages = 0;
  double outage_mean_s = 0;  ///< NaN without an outage
};

[[nodiscard]] TraceSummary summarize(const abr::NetworkTrace&);
/// The same over all intervals of several traces. REQUIRES one.
[[nodiscard]] TraceSummary summarize(std::span<const abr::NetworkTrace>);

}  // namespace park::abr::traces
