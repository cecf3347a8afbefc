#include "systems/systems.h"

#include "systems/dl_cluster_live/dl_cluster_live.h"
#include "systems/spark/spark.h"

namespace park::systems {

void register_all(Registry& registry) {
  registry.add_system<spark::Spark>();
  registry.add_system<dl_cluster_live::DlClusterLive>();
}

}  // namespace park::systems
