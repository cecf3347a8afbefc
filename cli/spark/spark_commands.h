#pragma once

#include <memory>
#include <string>

#include "cli/frame/command.h"

namespace park::cli {

// The commands of `park spark`.
std::unique_ptr<Command> make_spark_attach_command();
std::unique_ptr<Command> make_spark_run_command();
std::unique_ptr<Command> make_spark_doctor_command();

// The option --durations of both.
inline constexpr const char* kDurationsDoc =
    "a workload: policies are told its durations of the jobs that it has, by their names; without "
    "it, what has been measured";
void check_durations(const std::string& file, Violations&);

}  // namespace park::cli
