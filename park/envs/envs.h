#pragma once

#include "park/command/data_kinds.h"
#include "park/core/registry.h"

namespace park::envs {

/// Registers every environment of this library, with its policies, and the policy random.
void register_all(Registry&);

/// The kinds of data that the environments of this library read.
[[nodiscard]] command::DataKinds data_kinds();

}  // namespace park::envs
