#pragma once

#include <vector>

#include "park/bench/suite.h"
#include "park/envs/bundled_texts.h"
#include "park/files/json_fields.h"

namespace park::bench {

/// "agents" and "training" of a suite, which come together; both may be missing.
void read_agents(files::JsonFields&, Suite&, Violations&);

/// The files of park/bench/suites: what holds for all parts of a bundled suite.
[[nodiscard]] const std::vector<envs::BundledText>& bundled_suite_heads();

}  // namespace park::bench
