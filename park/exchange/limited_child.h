#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace park::exchange {

struct ChildLimits {
  std::chrono::steady_clock::time_point deadline{};
  std::uint64_t most_file_bytes = 0;  ///< of any file that it writes
};

struct ChildEnd {
  int status = 0;        ///< exit status, or 128 + the signal that ended it
  bool late = false;     ///< it was ended at the deadline
  std::string output{};  ///< of both stdout and stderr, at most 64 KiB
};

/// Runs a program to its end in a session of its own, without terminal and input. It and its
/// children end at the deadline, and with the thread that called. `environment` has texts NAME=VALUE.
/// Throws Error{io} where it cannot be started.
[[nodiscard]] ChildEnd run_limited(const std::vector<std::string>& words,
                                   const std::vector<std::string>& environment, const ChildLimits&);

}  // namespace park::exchange
