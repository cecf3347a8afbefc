#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace park::bench {

/// The exit code by which an outside trainer says that it does not fit an environment. Its last line
/// of output says why.
constexpr int kDoesNotFit = 3;

/// How a command ended, and what it and its children took, measured from outside.
struct CommandEnd {
  bool stopped = false;  ///< an end was asked for
  int status = 0;        ///< exit code; 128 + the signal that ended it
  double cpu_s = 0, wall_s = 0;
  std::string last_line{};  ///< of its output
};

/// Runs a command to its end, with its output in log.txt of the folder. Where `stop` asks for an end,
/// it gets SIGTERM, and SIGKILL two seconds later; it does not outlive this process. Throws Error{io}
/// where it cannot be started.
[[nodiscard]] CommandEnd run_command(const std::vector<std::string>& words,
                                     const std::filesystem::path& folder,
                                     const std::function<bool()>& stop);

}  // namespace park::bench
