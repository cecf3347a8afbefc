#include "park/envs/congestion_control/links/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace park::congestion_control::links {

LinkSummary summarize(const net::Opportunities& all) {
  constexpr double kMegabits = net::kOpportunityBytes * 8 / 1e6;
  LinkSummary s{.opportunities = all.ms.size(), .duration_s = net::to_seconds(all.period())};
  const std::size_t seconds = (all.ms.back() + 999) / 1000;
  std::vector<double> mbps(seconds, 0.0);
  std::uint32_t before = 0;
  for (const std::uint32_t ms : all.ms) {
    mbps[ms == 0 ? 0 : (ms - 1) / 1000] += kMegabits;
    s.longest_gap_s = std::max(s.longest_gap_s, (ms - before) / 1e3);
    before = ms;
  }
  s.mean_mbps = static_cast<double>(all.ms.size()) * kMegabits / s.duration_s;
  double squares = 0, silent = 0;
  for (const double rate : mbps) {
    squares += (rate - s.mean_mbps) * (rate - s.mean_mbps);
    silent += rate == 0;
  }
  s.sd_mbps = std::sqrt(squares / static_cast<double>(seconds));
  s.silent_share = silent / static_cast<double>(seconds);
  s.least_mbps = *std::ranges::min_element(mbps);
  s.most_mbps = *std::ranges::max_element(mbps);
  return s;
}

}  // namespace park::congestion_control::links
