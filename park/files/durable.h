#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace park::files {

/// Files that survive a crash whole: old or new, never in between. All throw Error{io} with the
/// path and the reason.

/// Writes a file that one process at a time writes.
void write_durable(const std::filesystem::path&, std::string_view bytes);

/// A file's name and bytes.
using NamedBytes = std::vector<std::pair<std::string, std::string>>;
/// The same for a folder with these files and nothing else, which replaces one that is there.
void write_durable_folder(const std::filesystem::path&, const NamedBytes&);
/// Finishes what a crash may have left of write_durable_folder. Not while another process writes.
void recover_folder(const std::filesystem::path&);
/// Where the folder lies if a crash was in the middle of replacing it.
[[nodiscard]] std::filesystem::path before_crash(const std::filesystem::path&);

/// A file that grows at its end and can be cut back.
class AppendFile {
 public:
  /// Opens or makes it and cuts it back to `keep` bytes. Throws Error{bad_file} if it is
  /// shorter.
  AppendFile(std::filesystem::path, std::uint64_t keep);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void append(std::string_view bytes);
  /// Everything appended so far is on the disk when it returns.
  void sync();
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  std::filesystem::path path_;
  int file_;
  std::uint64_t size_;
};

/// Held by one process at a time, which a crash ends.
class FolderLock {
 public:
  /// Throws Error{unavailable} if another process holds it: "FOLDER: another process USE it".
  FolderLock(const std::filesystem::path& folder, std::string_view use);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace park::files
