#include "park/files/log_source.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

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

void LineReader::check_length(std::size_t bytes) const {
  if (bytes <= kMaxLine) return;
  throw Error(Errc::bad_file, name_ + ": line " + std::to_string(number_ + 1) + ": longer than " +
                                  std::to_string(kMaxLine) + " bytes");
}

bool LineReader::fill() {
  if (exhausted_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  check_length(end_);
  if (buffer_.size() - end_ < kBlock) buffer_.resize(std::max(buffer_.size() * 2, 2 * kBlock));
  const std::size_t room = buffer_.size() - end_;
  const std::size_t got = source_.read(std::span(buffer_.data() + end_, room));
  end_ += got;
  exhausted_ = got < room;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* first = buffer_.data() + begin_;
    const void* found = end_ - begin_ == searched
                            ? nullptr
                            : std::memchr(first + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      line = {first, static_cast<std::size_t>(static_cast<const char*>(found) - first)};
      begin_ += line.size() + 1;
      ended_ = true;
      break;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (searched == 0) return false;
    line = {buffer_.data() + begin_, searched};
    begin_ = end_;
    ended_ = false;
    break;
  }
  check_length(line.size());
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace park::files
