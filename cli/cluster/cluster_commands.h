#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

// The commands of `park cluster`.
std::unique_ptr<Command> make_cluster_profile_command();

}  // namespace park::cli
