#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

// The commands of `park traces` that import what others recorded.
std::unique_ptr<Command> make_import_mahimahi_command();
std::unique_ptr<Command> make_import_fcc_command();
std::unique_ptr<Command> make_import_hsdpa_command();

}  // namespace park::cli
