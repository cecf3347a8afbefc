#pragma once

#include <string>
#include <vector>

#include "park/bench/suite.h"

namespace park::bench {

/// Compares a suite with the bundled suite of its name. Returns a line for each difference that can
/// change figures: seed, environments, configuration, episodes, metrics, baselines, and the inputs of
/// trainings. Nothing if all agree or no bundled suite has the name. Policies that are judged and
/// timelines may differ.
[[nodiscard]] std::vector<std::string> changes_of_bundled(const Suite&);

}  // namespace park::bench
