#include "park/core/registry.h"
#include "park/envs/dag_scheduling/dag_scheduling.h"
#include "park/envs/dag_scheduling/policies.h"

namespace park::dag_scheduling {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<DagScheduling>();
  register_policies(r);
}

}  // namespace park::dag_scheduling
