#include "park/envs/switch_scheduling/config.h"

namespace park::switch_scheduling {

void SwitchSchedulingConfig::check(const SwitchSchedulingConfig& c, Violations& bad) {
  if (c.traffic == "bursty" && c.arrivals == "per_voq")
    bad.add("arrivals = per_voq is not allowed where traffic = bursty: a burst is of an input");
  if (c.change_slots > 0 && c.matrix() == "uniform")
    bad.add("change_slots = " + std::to_string(c.change_slots) +
            " must be 0 where the rates are uniform: a permutation changes nothing");
}

}  // namespace park::switch_scheduling
