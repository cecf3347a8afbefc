#pragma once

#include <vector>

#include "park/bench/suite.h"
#include "park/envs/bundled_texts.h"
#include "park/files/json_fields.h"

namespace park::bench {

/// "agents" and "training" of a suite, which come together; both may be missing.
void read_agents(files::JsonFields&, Suite&, Violations&);

/// Names a count that is not 1 to kMostCount. More episodes or trainings are nobody's wish, and the
/// plan to play them would fill the memory.
void check_count(const std::string& name, std::uint64_t count, Violations&);
inline constexpr std::uint64_t kMostCount = 10'000'000;

/// The files of park/bench/suites: what holds for all parts of a bundled suite.
[[nodiscard]] const std::vector<envs::BundledText>& bundled_suite_heads();

}  // namespace park::bench
