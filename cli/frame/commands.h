#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/frame/command.h"
#include "park/command/data_kinds.h"

namespace park::cli {

/// The commands of park. A command is a file cli/FOLDER/NAME_command.cc that defines
///     void add_NAME_command(Commands& all) { all.add(place, std::make_unique<...>()); }
/// CMake finds these files and writes add_found_commands, which calls every one of them.
class Commands {
 public:
  explicit Commands(command::DataKinds kinds) : kinds_(std::move(kinds)) {}
  /// The kinds of data of this build and of the plug-ins.
  [[nodiscard]] const command::DataKinds& data_kinds() const noexcept { return kinds_; }

  /// `place` orders the help: lower numbers stand first, equal ones by name.
  void add(int place, std::unique_ptr<Command>);
  /// All of them in order; afterwards there is none.
  [[nodiscard]] std::vector<std::unique_ptr<Command>> take();

 private:
  struct Entry {
    int place;
    std::string name;
    std::unique_ptr<Command> command;
  };
  command::DataKinds kinds_;
  std::vector<Entry> entries_;
};

void add_found_commands(Commands&);

/// Every command of this build, with those that `park data` has for these kinds.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands(const command::DataKinds&);
/// Those of this build alone.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace park::cli
