#pragma once

#include <string>
#include <vector>

#include "park/bench/suite.h"

namespace park::bench {

/// A suite's name stands for what the bundled suite of that name plays. A line for each thing that
/// decides figures and is another one there: seed, environments, configuration, episodes, metrics,
/// baselines; nothing if all agree or no bundled suite has the name. Policies that are judged
/// and timelines may differ.
[[nodiscard]] std::vector<std::string> changes_of_bundled(const Suite&);

}  // namespace park::bench
