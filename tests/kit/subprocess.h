#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/kit/scratch_folder.h"

namespace park::cli {

struct Finished {
  std::string out, err;
  int code = -1;  ///< the exit code, or minus the signal
};

/// The binary `park` in a process of its own, with pipes for stdout and stderr.
class Subprocess {
 public:
  explicit Subprocess(const std::vector<std::string>& arguments);
  /// Kills what still runs.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// Nothing where it has been waited for.
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Reads until stderr contains the text. False: it ended, or the deadline passed.
  bool wait_for_error_text(const std::string& text, double seconds = 60);
  /// Reads everything and waits for the end; kills it after the deadline.
  Finished finish(double seconds = 120);

 private:
  /// Reads what there is within some milliseconds. False: both pipes are closed.
  bool read_some(int milliseconds);

  pid_t pid_ = -1;
  int out_pipe_ = -1, err_pipe_ = -1;
  Finished result_;
};

/// Runs park to its end.
[[nodiscard]] Finished run_park(const std::vector<std::string>& arguments);

/// A path for a file that does not exist, unique to the running test; what was there is removed.
[[nodiscard]] std::string scratch_path(const std::string& name);

using test::read_text;

}  // namespace park::cli
