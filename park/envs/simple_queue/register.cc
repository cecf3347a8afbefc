#include "park/core/registry.h"
#include "park/envs/simple_queue/policies.h"
#include "park/envs/simple_queue/simple_queue.h"

namespace park::simple_queue {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<SimpleQueue>();
  r.add_policy<AdmitAll>();
  r.add_policy<OptimalAdmission>();
  r.add_policy<RewardThreshold>();
  r.add_policy<TrunkReservation>();
}

}  // namespace park::simple_queue
