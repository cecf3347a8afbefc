#pragma once

#include <string>
#include <vector>

namespace park::test {

/// What the process has asked of the disk while it lives, in order: "sync PATH" and
/// "rename FROM TO". The test program replaces fsync and rename, which do their work too. One at a
/// time.
class DiskCalls {
 public:
  DiskCalls();
  ~DiskCalls();
  DiskCalls(const DiskCalls&) = delete;
  DiskCalls& operator=(const DiskCalls&) = delete;
  [[nodiscard]] std::vector<std::string> list() const;
};

}  // namespace park::test
