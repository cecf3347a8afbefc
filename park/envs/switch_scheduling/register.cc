#include "park/core/registry.h"
#include "park/envs/switch_scheduling/policies.h"
#include "park/envs/switch_scheduling/switch_scheduling.h"

namespace park::switch_scheduling {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<SwitchScheduling>();
  r.add_policy<MaxWeight>();
  r.add_policy<OldestCell>();
  r.add_policy<LongestQueue>();
  r.add_policy<Islip>();
  r.add_policy<Pim>();
}

}  // namespace park::switch_scheduling
