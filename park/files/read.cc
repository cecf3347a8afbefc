#include "park/files/read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "park/core/error.h"
#include "park/files/descriptor.h"

namespace park::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 16;

[[noreturn]] void fail_to_read(const std::string& field, const fs::path& path,
                               const std::string& why) {
  throw Error(Errc::io, field + ": cannot read '" + path.string() + "': " + why);
}

/// What a regular file has; of others nothing is known.
std::uint64_t expected_bytes(int file) {
  struct stat about {};
  const bool known = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  return known ? static_cast<std::uint64_t>(about.st_size) : 0;
}

/// The next bytes of a file behind `text`: how many; -1 on an error.
ssize_t read_more(int file, std::string& text, std::size_t size) {
  if (text.size() - size < kPiece) text.resize(size + std::max(size, kPiece));
  for (;;) {
    const ssize_t n = read(file, text.data() + size, text.size() - size);
    if (n >= 0 || errno != EINTR) return n;
  }
}

}  // namespace

std::string read_file(const fs::path& path, std::error_code& error, std::uint64_t most_bytes) {
  error.clear();
  const auto fail = [&](std::error_code why) {
    error = why;
    return std::string();
  };
  const Descriptor file(path, O_RDONLY);
  if (!file.open()) return fail(last_error());
  const std::uint64_t expected = expected_bytes(file.get());
  const auto too_large = std::make_error_code(std::errc::file_too_large);
  if (expected > most_bytes) return fail(too_large);
  std::string text(expected + kPiece, '\0');  // room to find the end
  std::size_t size = 0;
  for (ssize_t n = 0; (n = read_more(file.get(), text, size)) != 0;) {
    if (n < 0) return fail(last_error());
    size += static_cast<std::size_t>(n);
    if (size > most_bytes) return fail(too_large);
  }
  text.resize(size);
  return text;
}

std::string read_whole(const fs::path& path, std::uint64_t most_bytes) {
  std::error_code error, none;
  const fs::file_status status = fs::status(path, none);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(Errc::bad_file, path.string() + ": is no file");
  std::string bytes = read_file(path, error, most_bytes);
  if (error == std::errc::file_too_large)
    throw Error(Errc::bad_file,
                path.string() + ": is larger than " + std::to_string(most_bytes) + " bytes");
  if (error) throw Error(Errc::io, path.string() + ": " + error.message());
  return bytes;
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& field) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    fail_to_read(field, folder, error ? error.message() : "it is not a folder");
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    const bool hidden = at->path().filename().string().starts_with('.');
    if (!hidden && at->is_regular_file(none)) files.push_back(at->path());
  }
  if (error) fail_to_read(field, folder, error.message());
  if (files.empty()) throw Error(Errc::bad_file, field + ": '" + folder.string() + "' has no file");
  std::ranges::sort(files, {}, [](const fs::path& p) { return p.filename().string(); });
  return files;
}

std::string text_of(const fs::path& file, const std::string& field) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) fail_to_read(field, file, "it is not a file");
  std::string text = read_file(file, error);
  if (error == std::errc::io_error) fail_to_read(field, file, "reading failed");
  if (error) fail_to_read(field, file, "it cannot be opened");
  return text;
}

}  // namespace park::files
