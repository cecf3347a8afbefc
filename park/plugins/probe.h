#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace park::plugins {

/// Told by work in a child process what it begins, such as "the spec of queue".
using Begin = std::function<void(const std::string&)>;

/// Does work in a child process, without output and input. Throws Error{bad_file} in one line where
/// it throws, crashes, ends the process, or takes longer. The child is gone when this returns. The
/// work must not wait for locks that other threads of this process may hold.
void probe(const std::function<void(const Begin&)>& work, std::chrono::milliseconds deadline);

}  // namespace park::plugins
