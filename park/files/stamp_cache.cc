#include "park/files/stamp_cache.h"

#include <sys/stat.h>

#include "park/files/descriptor.h"

namespace park::files {

namespace fs = std::filesystem;

FileStamp stamp_of(const fs::path& path, std::error_code& error) {
  const std::uint64_t bytes = fs::file_size(path, error);  // refuses what is no regular file
  const fs::file_time_type written =
      error ? fs::file_time_type() : fs::last_write_time(path, error);
  struct stat about {};
  if (!error && stat(path.c_str(), &about) != 0) error = last_error();
  if (error) return {};
  return {path, written, bytes, about.st_ino};
}

}  // namespace park::files
