#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace park::files {

struct WriteOptions {
  /// Its bytes are on the disk before it has its name, and its name is when it is written. A loss
  /// of power leaves the old file or the new one.
  bool synced = false;
  bool one_writer = false;  ///< no two processes write it; replaces what a crash has left
  unsigned mode = 0666;     ///< before the umask
};

/// A file that appears under its name whole or not at all. What is appended goes to a new file
/// beside it, which `commit` renames; without a commit it is removed.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path, const WriteOptions& = {});
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Does nothing after an error, which `commit` reports.
  void append(std::string_view bytes);
  /// The first error; none where the file is there, and on the disk where that was asked for.
  [[nodiscard]] std::error_code commit();

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;

  void flush();
  void close_file();
  void check(bool good);

  std::filesystem::path path_, part_;
  bool synced_;
  int file_;
  std::string buffer_;
  std::error_code error_;
  bool there_ = false;  // under its name
};

/// A whole file in one go. The error says why it is not there.
[[nodiscard]] std::error_code try_write_file(const std::filesystem::path&, std::string_view bytes,
                                             const WriteOptions& = {});
/// Likewise. Throws Error{io} with the path and the reason.
void write_file(const std::filesystem::path&, std::string_view bytes, const WriteOptions& = {});

}  // namespace park::files
