#include "park/files/byte_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "park/core/error.h"

namespace park::files {
namespace {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, into.begin());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status)) throw Error(Errc::io, path + ": a folder");
    if (!file_) throw Error(Errc::io, path + ": it cannot be opened");
  }
  std::size_t read(std::span<char> into) override {
    file_.read(into.data(), static_cast<std::streamsize>(into.size()));
    if (file_.bad()) throw Error(Errc::io, path_ + ": it cannot be read");
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  std::string path_;
  std::ifstream file_;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> file_source(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

}  // namespace park::files
