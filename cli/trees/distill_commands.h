#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

/// What `park distill` has beside the making of a tree, one file each.
std::unique_ptr<Command> make_distill_export_command();
std::unique_ptr<Command> make_distill_edit_command();

}  // namespace park::cli
