#include "park/workload/log_source.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "park/core/error.h"

namespace park::workload {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

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
    if (std::filesystem::is_directory(status)) {
      throw Error(Errc::io,
                  path + ": a folder; rolled event logs are not supported, name its files");
    }
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

/// Gives back the bytes that were read to look at them, then the rest.
class PeekedSource final : public ByteSource {
 public:
  PeekedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), head_.size() - given_);
    std::copy_n(head_.data() + given_, count, into.data());
    given_ += count;
    return count + rest_->read(into.subspan(count));
  }

 private:
  std::string head_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

struct Compression {
  std::string_view name, magic;
};
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::array<Compression, 4> kUnsupported = {{
    {"zstd", "\x28\xb5\x2f\xfd"},
    {"lz4", "\x04\x22\x4d\x18"},
    {"lz4", "LZ4Block"},
    {"snappy", "\x82SNAPPY"},
}};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(kBlock) {
    constexpr int kGzipWrapper = 16;  // zlib's flag, added to the window's bits
    if (inflateInit2(&state_, MAX_WBITS + kGzipWrapper) != Z_OK) {
      throw Error(Errc::capacity, name_ + ": zlib cannot be set up");
    }
  }
  ~GzipSource() override { inflateEnd(&state_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> into) override {
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(into.size());
    while (state_.avail_out > 0 && !finished_) advance();
    return into.size() - state_.avail_out;
  }
  [[nodiscard]] bool cut_short() const noexcept override { return cut_short_; }

 private:
  void refill() {
    if (state_.avail_in > 0) return;
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(packed_->read(input_));
  }

  void advance() {
    refill();
    if (state_.avail_in == 0) {
      finished_ = true;
      cut_short_ = !between_members_;
      return;
    }
    if (members_ > 0 && between_members_ && static_cast<char>(*state_.next_in) != kGzipMagic[0]) {
      finished_ = true;  // padding behind the last member, as gzip itself allows
      return;
    }
    const int result = inflate(&state_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      ++members_;
      between_members_ = true;
      inflateReset(&state_);
    } else if (result == Z_OK) {
      between_members_ = false;
    } else {
      throw Error(Errc::bad_file, name_ + ": damaged gzip data");
    }
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> input_;
  z_stream state_{};
  std::size_t members_ = 0;
  bool between_members_ = false, finished_ = false, cut_short_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> file_source(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> plain_text(std::unique_ptr<ByteSource> source,
                                       const std::string& name) {
  std::string head(8, '\0');
  head.resize(source->read(head));
  for (const Compression& one : kUnsupported) {
    if (!head.starts_with(one.magic)) continue;
    throw Error(Errc::bad_file, name + ": compressed with " + std::string(one.name) +
                                    "; plain text and gzip are supported, unpack it first");
  }
  const bool gzip = head.starts_with(kGzipMagic);
  auto whole = std::make_unique<PeekedSource>(std::move(head), std::move(source));
  if (!gzip) return whole;
  return std::make_unique<GzipSource>(std::move(whole), name);
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

}  // namespace park::workload
