#include "park/envs/congestion_control/config.h"

namespace park::congestion_control {

void CongestionControlConfig::check(const CongestionControlConfig& c, Violations& bad) {
  if (c.beside.size() > kMostBeside)
    bad.add("beside has " + std::to_string(c.beside.size()) + " senders; allowed are 64");
  if (!c.link.empty() && c.rate_mbps > 0)
    bad.add("rate_mbps and link both give the rate; leave one of them out");
  if (c.rtt_ms > 0 && c.rtt_ms < 1e-3)
    bad.add("rtt_ms = " + number_text(c.rtt_ms) + " is below 0.001; 0 is the preset's");
  if (c.rate_mbps > 0 && c.rate_mbps < 1e-3)
    bad.add("rate_mbps = " + number_text(c.rate_mbps) + " is below 0.001; 0 is the preset's");
  if (c.loss < 0 && c.loss != kAsDrawn)
    bad.add("loss = " + number_text(c.loss) + " is neither -1, the preset's, nor 0 or more");
  if (c.duration_s > 0 && c.duration_s < 1e-3)
    bad.add("duration_s = " + number_text(c.duration_s) + " is below 0.001; 0 is the preset's");
}

std::vector<std::filesystem::path> CongestionControlConfig::files() const {
  if (link.empty()) return {};
  return {link};
}

}  // namespace park::congestion_control
