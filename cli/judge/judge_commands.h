#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

/// What `park judge` has beside the judging of a candidate.
std::unique_ptr<Command> make_judge_export_command();

}  // namespace park::cli
