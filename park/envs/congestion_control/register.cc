#include "park/core/registry.h"
#include "park/envs/congestion_control/congestion_control.h"
#include "park/envs/congestion_control/policies.h"

namespace park::congestion_control {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<CongestionControl>();
  r.add_policy<BbrPolicy>();
  r.add_policy<Clairvoyant>();
  r.add_policy<CopaPolicy>();
  r.add_policy<CubicPolicy>();
  r.add_policy<DctcpPolicy>();
  r.add_policy<RenoPolicy>();
  r.add_policy<VegasPolicy>();
}

}  // namespace park::congestion_control
