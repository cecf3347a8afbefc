#include "park/core/registry.h"
#include "systems/device_placement_live/device_placement_live.h"

namespace park::device_placement_live {

void register_system(Registry& registry) { registry.add_system<DevicePlacementLive>(); }

}  // namespace park::device_placement_live
