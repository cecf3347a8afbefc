// Files that are old or new after a crash, never in between. A whole file is written under a
// temporary name, synced and renamed; a folder is built beside its place and exchanged for it, and
// recover_folder finishes an exchange that a crash interrupted. AppendFile grows at its end and is
// cut back when it is opened. Checkpoints, the training loop and benchmarks call it.
#include "park/files/durable.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "park/core/error.h"
#include "park/files/descriptor.h"
#include "park/files/new_file.h"

namespace park::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) {
  const std::error_code error = last_error();
  throw Error(Errc::io, path.string() + ": " + error.message());
}

void sync_names(const fs::path& folder) {
  if (const std::error_code error = sync_folder(folder))
    throw Error(Errc::io, folder.string() + ": " + error.message());
}

fs::path with_ending(const fs::path& path, const char* ending) { return path.string() + ending; }

void rename_to(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(to);
}

/// At once where the file system can exchange two names; else a crash in between leaves `old`,
/// which recover_folder brings back.
void put_in_place(const fs::path& part, const fs::path& path, const fs::path& old) {
  if (!fs::exists(path)) return rename_to(part, path);
  if (renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return;
  rename_to(path, old);
  rename_to(part, path);
}

}  // namespace

void write_durable(const fs::path& path, std::string_view bytes) {
  write_file(path, bytes, {.synced = true, .one_writer = true});
}

void write_durable_folder(const fs::path& path, const NamedBytes& files) {
  const fs::path part = with_ending(path, ".part"), old = before_crash(path);
  fs::remove_all(part);
  fs::remove_all(old);
  fs::create_directories(part);
  for (const auto& [name, bytes] : files) write_durable(part / name, bytes);
  put_in_place(part, path, old);
  sync_names(path.parent_path());
  fs::remove_all(part);
  fs::remove_all(old);
}

fs::path before_crash(const fs::path& path) { return with_ending(path, ".old"); }

void recover_folder(const fs::path& path) {
  const fs::path old = before_crash(path);
  if (!fs::exists(path) && fs::exists(old)) rename_to(old, path);
  fs::remove_all(old);
  fs::remove_all(with_ending(path, ".part"));
}

AppendFile::AppendFile(fs::path path, std::uint64_t keep)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)),
      size_(keep) {
  if (file_ < 0) fail(path_);
  struct stat about {};
  if (fstat(file_, &about) != 0) fail(path_);
  if (static_cast<std::uint64_t>(about.st_size) < keep) {
    close(file_);
    throw Error(Errc::bad_file, path_.string() + ": has " + std::to_string(about.st_size) +
                                    " bytes, its checkpoint " + std::to_string(keep));
  }
  if (ftruncate(file_, static_cast<off_t>(keep)) != 0 || lseek(file_, 0, SEEK_END) < 0) fail(path_);
}

AppendFile::~AppendFile() { close(file_); }

void AppendFile::append(std::string_view bytes) {
  if (!write_all(file_, bytes)) fail(path_);
  size_ += bytes.size();
}

void AppendFile::sync() {
  if (fsync(file_) != 0) fail(path_);
}

FolderLock::FolderLock(const fs::path& folder, std::string_view use)
    : file_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) fail(folder);
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  close(file_);
  throw Error(Errc::unavailable, folder.string() + ": another process " + std::string(use) + " it");
}

FolderLock::~FolderLock() { close(file_); }

}  // namespace park::files
