#include "park/files/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace park::files {

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

Descriptor::Descriptor(const std::filesystem::path& path, int flags, unsigned mode) noexcept
    : file_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

Descriptor::~Descriptor() {
  if (file_ >= 0) close(file_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::error_code sync_folder(const std::filesystem::path& folder) {
  const Descriptor file(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (!file.open()) return last_error();
  // EINVAL: this file system has no such operation on folders.
  return fsync(file.get()) == 0 || errno == EINVAL ? std::error_code() : last_error();
}

}  // namespace park::files
