#include "systems/systems.h"

#include "systems/spark/spark.h"

namespace park::systems {

void register_all(Registry& registry) { registry.add_system<spark::Spark>(); }

}  // namespace park::systems
