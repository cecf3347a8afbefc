#include "park/core/registry.h"
#include "park/envs/abr/abr.h"
#include "park/envs/abr/mpc.h"
#include "park/envs/abr/offline.h"
#include "park/envs/abr/policies.h"

namespace park::abr {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<Abr>();
  r.add_policy<BufferBased>();
  r.add_policy<RateBased>();
  r.add_policy<Bola>();
  r.add_policy<Festive>();
  r.add_policy<Mpc>();
  r.add_policy<RobustMpc>();
  r.add_policy<OfflineOptimum>();
}

}  // namespace park::abr
