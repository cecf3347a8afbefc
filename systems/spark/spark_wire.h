#pragma once

// The messages of the family `spark`; includes of them go through here.
#include "bridge/codec/wire.h"
// After it:
#include "systems/spark/schema/spark.capnp.h"

namespace park::spark {

inline constexpr const char* kFamily = "spark";

}  // namespace park::spark
