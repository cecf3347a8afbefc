#pragma once

#include <memory>

#include "cli/frame/command.h"

namespace park::cli {

/// What `park bench` has beside the playing of a suite, one file each.
std::unique_ptr<Command> make_bench_verify_command();
std::unique_ptr<Command> make_bench_compare_command();
std::unique_ptr<Command> make_bench_leaderboard_command();

}  // namespace park::cli
