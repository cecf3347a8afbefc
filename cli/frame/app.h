#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace park::cli {

struct AppOptions {
  bool terminal = false;  ///< stderr is a terminal
  std::size_t width = 110;
};

/// The command line: parses `arguments` (without the program), runs the command and returns the
/// exit code. It is 0 for done, 1 for failed, 2 for wrong usage or bad input, and 128 + the signal
/// that interrupted the command. `out` gets nothing but the result, and nothing at all unless there
/// is one.
[[nodiscard]] int park_main(std::vector<std::string> arguments, std::ostream& out,
                            std::ostream& err, AppOptions options = {});

}  // namespace park::cli
