#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "park/command/data_kinds.h"

namespace park::cli {

/// How the actions of a kind of data are named on the command line.
enum class ActionNames {
  nested,  ///< import spark, where import is a group of its forms
  flat,    ///< import-spark
};

/// The commands of a kind of data. `path` is the command that they belong to, such as
/// "park data traces".
[[nodiscard]] std::vector<std::unique_ptr<Command>> action_commands(const command::DataKind&,
                                                                    const std::string& path,
                                                                    ActionNames);

}  // namespace park::cli
