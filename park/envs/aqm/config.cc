#include "park/envs/aqm/config.h"

namespace park::aqm {

void AqmConfig::check(const AqmConfig& c, Violations& bad) {
  if (c.duration_s > 0 && c.duration_s < c.interval_s)
    bad.add("duration_s = " + number_text(c.duration_s) +
            " is below interval_s = " + number_text(c.interval_s) + "; 0 is the preset's");
}

std::vector<std::filesystem::path> AqmConfig::files() const {
  if (link.empty()) return {};
  return {link};
}

}  // namespace park::aqm
