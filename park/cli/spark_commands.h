#pragma once

#include <memory>

#include "park/cli/command.h"

namespace park::cli {

// The commands of `park spark`.
std::unique_ptr<Command> make_spark_attach_command();
std::unique_ptr<Command> make_spark_run_command();

}  // namespace park::cli
