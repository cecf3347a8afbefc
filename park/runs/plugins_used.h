#pragma once

#include <string>
#include <vector>

#include "park/runs/manifest.h"

namespace park::runs {

/// A line for people per recorded plug-in that is not here, and per one of another version. The
/// line says what has to be given, and what was recorded. Order does not count. Other bytes of the
/// same version are no such line.
[[nodiscard]] std::vector<std::string> lacking_plugins(const std::vector<PluginUsed>& recorded,
                                                       const std::vector<PluginUsed>& here);

/// A line per plug-in of the recorded version that has other bytes than recorded: it was built
/// again.
[[nodiscard]] std::vector<std::string> rebuilt_plugins(const std::vector<PluginUsed>& recorded,
                                                       const std::vector<PluginUsed>& here);

}  // namespace park::runs
