#pragma once

#include <vector>

#include "park/check/presets.h"
#include "park/core/registry.h"

namespace park::test {

/// Every simulated environment of this tree and its policies. Running systems have tests of their
/// own, so no twin is looked for here; `park check` knows both (tests/cli/check_test.cc).
[[nodiscard]] const Registry& full_registry();

/// park/envs/NAME/presets.txt of all of these.
[[nodiscard]] const std::vector<check::Preset>& all_presets();

}  // namespace park::test
