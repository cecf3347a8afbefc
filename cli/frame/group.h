#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cli/frame/command.h"

namespace park::cli {

using CommandList = std::vector<std::unique_ptr<Command>>;
using MakeCommand = std::unique_ptr<Command> (*)();

/// What each of these makes.
[[nodiscard]] CommandList made(const std::vector<MakeCommand>&);

/// A command that is nothing but a name for others, its verbs: it is never run itself. App answers
/// for it: its help lists the verbs, and an unknown one is refused with the nearest.
[[nodiscard]] std::unique_ptr<Command> group(CommandInfo, std::function<CommandList()> verbs);
[[nodiscard]] std::unique_ptr<Command> group(CommandInfo, std::vector<MakeCommand> verbs);

}  // namespace park::cli
