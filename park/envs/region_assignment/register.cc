#include "park/core/registry.h"
#include "park/envs/region_assignment/policies.h"
#include "park/envs/region_assignment/region_assignment.h"

namespace park::region_assignment {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<RegionAssignment>();
  r.add_policy<Cheapest>();
  r.add_policy<ExponentialPrice>();
  r.add_policy<LearnedPricesPolicy>();
}

}  // namespace park::region_assignment
