#include "park/core/registry.h"
#include "park/envs/dl_cluster/dl_cluster.h"
#include "park/envs/dl_cluster/policies.h"

namespace park::dl_cluster {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<DlCluster>();
  register_policies(r);
}

}  // namespace park::dl_cluster
