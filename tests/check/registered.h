#pragma once

#include <string>
#include <vector>

#include "park/check/presets.h"
#include "park/core/registry.h"

namespace park::test {

/// Every environment of this build, the running systems included, and every policy that needs no
/// further package.
[[nodiscard]] const Registry& full_registry();

/// The names of the environments that are simulated here.
[[nodiscard]] std::vector<std::string> simulated_names();

/// park/envs/NAME/presets.txt of all of these.
[[nodiscard]] const std::vector<check::Preset>& all_presets();

}  // namespace park::test
