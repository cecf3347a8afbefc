#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace park::process {

/// A process with its output in a file. It ends with this object, and with the thread that made it.
class Child {
 public:
  /// `input` becomes its standard input; -1: it has that of this process. Throws Error{io} if it
  /// cannot be started.
  Child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
        std::filesystem::path log, int input = -1);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The exit status once it has ended; 128 + the signal that ended it.
  [[nodiscard]] std::optional<int> status();
  /// Waits until its output has a text. Throws Error{unavailable} with the end of its output where
  /// it ends before that, or says nothing in time, or a stop is requested.
  void wait_for(std::string_view text, std::chrono::seconds limit, const std::stop_token&);
  /// The end of its output, for people.
  [[nodiscard]] std::string tail() const;

 private:
  pid_t pid_;
  std::filesystem::path log_;
  std::optional<int> status_;
};

}  // namespace park::process
