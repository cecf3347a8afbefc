#pragma once

#include <cstddef>

#include "park/net/link.h"

namespace park::congestion_control::links {

/// What people want to know of a list of opportunities. Rates are those of whole seconds.
struct LinkSummary {
  std::size_t opportunities = 0;
  double duration_s = 0, mean_mbps = 0, sd_mbps = 0, least_mbps = 0, most_mbps = 0;
  double longest_gap_s = 0;  ///< without an opportunity
  double silent_share = 0;   ///< of the seconds
};
[[nodiscard]] LinkSummary summarize(const net::Opportunities&);

}  // namespace park::congestion_control::links
