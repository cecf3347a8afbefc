#include "park/envs/congestion_control/config.h"

namespace park::congestion_control {

void CongestionControlConfig::check(const CongestionControlConfig& c, Violations& bad) {
  if (c.beside.size() > kMostBeside)
    bad.add("beside has " + std::to_string(c.beside.size()) + " senders; allowed are 64");
  if (c.duration_s > 0 && c.duration_s < 1e-3)
    bad.add("duration_s = " + number_text(c.duration_s) + " is below 0.001; 0 is the preset's");
}

std::vector<std::filesystem::path> CongestionControlConfig::files() const {
  if (link.empty()) return {};
  return {link};
}

}  // namespace park::congestion_control
