#include "park/core/registry.h"
#include "systems/spark/spark.h"

namespace park::spark {

void register_system(Registry& registry) { registry.add_system<Spark>(); }

}  // namespace park::spark
