#include "park/core/registry.h"
#include "park/envs/device_placement/device_placement.h"
#include "park/envs/device_placement/policies.h"

namespace park::device_placement {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<DevicePlacement>();
  register_policies(r);
}

}  // namespace park::device_placement
