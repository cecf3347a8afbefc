#include "systems/device_placement_live/device_placement_live.h"

#include <memory>

#include "park/core/as_system.h"
#include "park/core/error.h"
#include "park/envs/device_placement/device_placement.h"
#include "systems/device_placement_live/live_step.h"

namespace park::device_placement_live {

using device_placement::DevicePlacement;

Spec DevicePlacementLive::spec(const Config& c) {
  Spec spec = DevicePlacement::spec(c.placement);
  spec.name = kName;
  spec.summary = "device_placement in real processes with real sockets";
  spec.traits = {.system = true, .replayable = false, .twin = DevicePlacement::kName};
  return spec;
}

void DevicePlacementLive::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  try {
    auto env = std::make_unique<DevicePlacement>(config_.placement,
                                                 std::make_shared<LiveStep>(config_, stop));
    AsSystem(spec(config_), std::move(env)).run(episodes, decider, stop);
  } catch (const Error&) {
    if (!stop.stop_requested()) throw;  // what a stop breaks off is no error
  }
}

}  // namespace park::device_placement_live
