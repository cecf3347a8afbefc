#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame/command.h"

namespace park::cli {

/// The commands of park. A command is a file cli/FOLDER/NAME_command.cc that defines
///     void add_NAME_command(Commands& all) { all.add(place, std::make_unique<...>()); }
/// CMake finds these files and writes add_found_commands, which calls every one of them.
class Commands {
 public:
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
  std::vector<Entry> entries_;
};

void add_found_commands(Commands&);

/// Every command of this build.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace park::cli
