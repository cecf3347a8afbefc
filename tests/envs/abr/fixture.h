#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/envs/abr/abr.h"
#include "tests/kit/env_player.h"

namespace park::test {

/// A folder with files of those names and texts, gone at the end of the scope.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::initializer_list<std::pair<std::string, std::string>> files = {}) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("park-abr-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
    for (const auto& [name, text] : files) write(name, text);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Steps one abr by hand.
class AbrPlayer : public EnvPlayer<abr::Abr> {
 public:
  explicit AbrPlayer(std::string_view text) : EnvPlayer(text, "quality") {}

  template <class T = double>
  [[nodiscard]] std::vector<double> values(std::string_view leaf) const {
    return EnvPlayer::values<T>(leaf);
  }
  template <class T = double>
  [[nodiscard]] double value(std::string_view leaf) const {
    return EnvPlayer::value<T>(leaf);
  }
};

}  // namespace park::test
