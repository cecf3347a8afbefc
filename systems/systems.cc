#include "systems/systems.h"

#include "systems/dl_inference_live/dl_inference_live.h"
#include "systems/spark/spark.h"

namespace park::systems {

void register_all(Registry& registry) {
  registry.add_system<inference::DlInferenceLive>();
  registry.add_system<spark::Spark>();
}

}  // namespace park::systems
