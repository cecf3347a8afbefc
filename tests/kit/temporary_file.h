#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace park::test {

/// A file with that text, gone at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("park-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    write(text);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  void write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace park::test
