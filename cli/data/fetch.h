#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

/// `park data fetch`: checks sets of reference data that a user brings and puts them where texts
/// name them. It uses no network.
[[nodiscard]] std::unique_ptr<Command> make_fetch();

}  // namespace park::cli
