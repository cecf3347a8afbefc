#include "park/files/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "park/core/error.h"
#include "park/files/descriptor.h"

namespace park::files {
namespace {

std::filesystem::path part_of(const std::filesystem::path& path, bool one_writer) {
  return path.string() + ".part" + (one_writer ? "" : std::to_string(getpid()));
}

}  // namespace

// The temporary is always a new one: a file that is there may be a link, or readable by others.
NewFile::NewFile(std::filesystem::path path, const WriteOptions& options)
    : path_(std::move(path)), part_(part_of(path_, options.one_writer)), synced_(options.synced) {
  unlink(part_.c_str());
  file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, options.mode);
  check(file_ >= 0);
}

NewFile::~NewFile() {
  close_file();
  if (!there_) unlink(part_.c_str());
}

void NewFile::append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer)
    check(error_ || write_all(file_, bytes));
  else
    buffer_ += bytes;
}

std::error_code NewFile::commit() {
  flush();
  if (!error_ && synced_) check(fsync(file_) == 0);
  close_file();
  if (!error_) check(std::rename(part_.c_str(), path_.c_str()) == 0);
  there_ = !error_;
  if (there_ && synced_) error_ = sync_folder(path_.parent_path());
  return error_;
}

void NewFile::flush() {
  check(error_ || write_all(file_, buffer_));
  buffer_.clear();
}

/// Some file systems report here that there was no room.
void NewFile::close_file() {
  if (file_ >= 0) check(close(std::exchange(file_, -1)) == 0);
}

void NewFile::check(bool good) {
  if (!good && !error_) error_ = last_error();
}

std::error_code try_write_file(const std::filesystem::path& path, std::string_view bytes,
                               const WriteOptions& options) {
  NewFile file(path, options);
  file.append(bytes);
  return file.commit();
}

void write_file(const std::filesystem::path& path, std::string_view bytes,
                const WriteOptions& options) {
  if (const std::error_code error = try_write_file(path, bytes, options))
    throw Error(Errc::io, path.string() + ": " + error.message());
}

}  // namespace park::files
