#pragma once

#include <filesystem>
#include <string_view>

namespace park::dl_cluster_live {

/// A new folder that goes with this object, and all that is in it.
class Scratch {
 public:
  /// Throws Error{io}.
  explicit Scratch(std::string_view name);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace park::dl_cluster_live
