#pragma once

// The messages of the family `spark`; includes of them go through here.
#include "bridge/codec/wire.h"
// After it:
#include "bridge/schema/spark.capnp.h"

namespace park::bridge::spark {

inline constexpr const char* kFamily = "spark";

}  // namespace park::bridge::spark
