#include "park/core/registry.h"
#include "systems/dl_cluster_live/dl_cluster_live.h"

namespace park::dl_cluster_live {

void register_system(Registry& registry) { registry.add_system<DlClusterLive>(); }

}  // namespace park::dl_cluster_live
