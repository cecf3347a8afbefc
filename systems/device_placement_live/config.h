#pragma once

#include <cstdint>
#include <string>

#include "park/core/config.h"
#include "park/envs/device_placement/config.h"

namespace park::device_placement_live {

inline constexpr const char* kLiveName = "device_placement_live";

/// What the processes do, and the fields of device_placement.
struct LiveConfig {
  std::string kind = "timed";
  double time_scale = 20;
  device_placement::DevicePlacementConfig placement{};

  bool operator==(const LiveConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "kind", c.kind,
        FieldDoc{.doc = "what an operation is. timed: a sleep until a deadline, so that two cores "
                        "carry eight devices. compute: products of matrices on one thread of "
                        "LibTorch, whose results are compared with those of one process",
                 .choices = "timed|compute"});
    visit("time_scale", c.time_scale,
          FieldDoc{.doc = "seconds of the clock for a second of the graph: operations of "
                          "microseconds would be shorter than a wake of a process",
                   .min = 1,
                   .max = 1e4});
    device_placement::DevicePlacementConfig::fields(c.placement, visit);
  }
  static void check(const LiveConfig& c, Violations& bad) {
    device_placement::DevicePlacementConfig::check(c.placement, bad);
  }
};

}  // namespace park::device_placement_live
