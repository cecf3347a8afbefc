#pragma once

#include <string>

#include "park/command/options.h"
#include "park/core/error.h"

namespace park::command {

/// How the help calls what an action writes. These are the words of a file.
struct OutWords {
  std::string placeholder = "PATH";
  std::string doc = "the file to write; exactly this path";
  std::string overwrite_doc = "replace a file that exists";
};

/// The options --out and --overwrite of an action that writes one file, or one folder.
class OutOption {
 public:
  /// --out is required.
  void declare(Options&, const OutWords& = {});
  /// Adds a violation where the path cannot become a new file; see check_output.
  void check_file(Violations&) const;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool overwrite() const noexcept { return overwrite_; }

 private:
  std::string path_;
  bool overwrite_ = false;
};

}  // namespace park::command
