#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cli/frame/command.h"

namespace park::cli {

/// The help of park itself: its commands.
[[nodiscard]] std::string main_help(std::span<const std::unique_ptr<Command>>, std::size_t width);

/// The help of a command called `path`, such as "park run".
[[nodiscard]] std::string command_help(const std::string& path, Command&, const Options&,
                                       std::size_t width);

}  // namespace park::cli
