#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/siege/zmtp.h"

namespace park::siege {

/// A folder below the system's temporary one that goes with its owner.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// All bytes of a file; nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> file_text(const std::string& path);
/// Throws Trouble.
void write_text(const std::string& path, std::string_view text);

/// How a process has ended.
struct Finished {
  int code = 0;            ///< the exit status, or minus the signal that ended it
  bool late = false;       ///< it was killed at the deadline
  double seconds = 0;      ///< from its start
  std::uint64_t peak = 0;  ///< most resident bytes
  std::string out, err;
  /// Whether it did not end by itself: a signal, an abort, what a sanitizer has found.
  [[nodiscard]] bool crashed() const noexcept;
};

/// Another program, with its output in files.
class Process {
 public:
  /// Starts words[0]; `prepare` runs in the child before that. Throws Trouble.
  explicit Process(const std::vector<std::string>& words, const std::string& folder = "",
                   const std::function<void()>& prepare = {});
  /// Kills what still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Whether it has not ended. What has ended is still there for `finish`.
  [[nodiscard]] bool runs() const;
  void signal(int number) const;
  /// Waits for the end; kills it at the deadline.
  [[nodiscard]] Finished finish(Time until);
  /// Its end was waited for elsewhere.
  void forget() noexcept { pid_ = -1; }
  /// What it has written so far.
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

 private:
  Folder output_;
  Time begin_ = Clock::now();
  pid_t pid_ = -1;
};

/// Bytes of a process that are resident now; 0 where it is gone.
[[nodiscard]] std::uint64_t resident(pid_t);
/// The most that were resident since the last `forget_peak`.
[[nodiscard]] std::uint64_t peak_resident(pid_t);
void forget_peak(pid_t);
/// What a process has computed so far, in seconds.
[[nodiscard]] double cpu_s(pid_t);
[[nodiscard]] std::size_t descriptors(pid_t);

/// For `prepare`: who has no bounds of its own must not take the machine with it. Sanitizers reserve
/// more than that, so that they are left alone.
void bound_memory(std::uint64_t gib);

/// The program `park`: that of the option --park, else the one beside this program.
[[nodiscard]] std::string& park_program();

}  // namespace park::siege
