#include "park/core/registry.h"
#include "park/envs/aqm/aqm.h"
#include "park/envs/aqm/policies.h"

namespace park::aqm {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<Aqm>();
  r.add_policy<CodelPolicy>();
  r.add_policy<DualPi2Policy>();
  r.add_policy<FqCodelPolicy>();
  r.add_policy<KnownPath>();
  r.add_policy<PiePolicy>();
  r.add_policy<RedPolicy>();
  r.add_policy<TailDrop>();
}

}  // namespace park::aqm
