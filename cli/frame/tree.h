#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "park/command/data_kinds.h"

// NOLINTNEXTLINE(readability-identifier-naming): a name of CLI11
namespace CLI {
class App;
}

namespace park::cli {

/// A command of this build with its options and the commands below it.
struct Node {
  std::string path;  ///< "park run"
  std::unique_ptr<Command> command;
  Options options;  ///< its own, then those that every command has
  std::vector<std::unique_ptr<Node>> children;

  // What a command line gave.
  CLI::App* app = nullptr;
  std::vector<std::vector<std::string>> given;  ///< per option
  bool json = false, quiet = false;
  std::string log_level = "info";
  std::vector<std::string> plugins;

  /// It is one to run, not only a group of others.
  [[nodiscard]] bool acts() const { return children.empty() || command->acts_alone(); }
};

using Nodes = std::vector<std::unique_ptr<Node>>;

/// Every command of this build, with those that `park data` has for these kinds, in the order of the
/// help. Parsing, help, completion and manual pages walk over it.
[[nodiscard]] Nodes command_tree(const command::DataKinds&);
/// The commands of this build alone.
[[nodiscard]] Nodes command_tree();

/// The command of that name, or nullptr.
[[nodiscard]] Node* find(const Nodes&, std::string_view name);

/// Names of all that are not hidden.
[[nodiscard]] std::vector<std::string> names_of(const Nodes&);

}  // namespace park::cli
