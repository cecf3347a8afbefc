#include "park/core/registry.h"
#include "park/envs/load_balance/load_balance.h"
#include "park/envs/load_balance/policies.h"

namespace park::load_balance {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<LoadBalance>();
  r.add_policy<RoundRobin>();
  r.add_policy<ShortestQueue>();
  r.add_policy<LeastWork>();
  r.add_policy<ShortestExpectedDelay>();
  r.add_policy<PowerOfD>();
  r.add_policy<SizeInterval>();
}

}  // namespace park::load_balance
