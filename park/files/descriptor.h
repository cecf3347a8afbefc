#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace park::files {

/// The error of the last system call.
[[nodiscard]] std::error_code last_error() noexcept;

/// A file descriptor that closes itself. Not open where opening failed; last_error() says why.
class Descriptor {
 public:
  /// `mode` is that of a file that is made.
  Descriptor(const std::filesystem::path&, int flags, unsigned mode = 0666) noexcept;
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] bool open() const noexcept { return file_ >= 0; }
  [[nodiscard]] int get() const noexcept { return file_; }

 private:
  int file_;
};

/// Writes all bytes; false on an error.
[[nodiscard]] bool write_all(int file, std::string_view bytes) noexcept;

/// The names in a folder are on the disk when it returns; "" is the current folder.
[[nodiscard]] std::error_code sync_folder(const std::filesystem::path&);

}  // namespace park::files
