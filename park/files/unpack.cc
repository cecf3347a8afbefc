// Sources that unpack while they are read. The first bytes select a format of kFormats; its decoder
// keeps a buffer of packed bytes and fills the reader's span on demand, stream after stream until
// the end. What breaks off is marked as cut short, what is damaged throws. Every importer opens its
// files through plain_text.
#include "park/files/unpack.h"

#include <lz4.h>
#include <lz4frame.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/error.h"

namespace park::files {
namespace {

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

/// What a decoder is fed with, and the frame of every decoder.
class UnpackedSource : public ByteSource {
 public:
  std::size_t read(std::span<char> into) final {
    std::size_t got = 0;
    while (got < into.size() && !finished_) got += advance(into.subspan(got));
    return got;
  }
  [[nodiscard]] bool cut_short() const noexcept final { return cut_short_; }

 protected:
  UnpackedSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(kBlock) {}

  /// Unpacks some bytes, or finishes. `into` is never empty.
  virtual std::size_t advance(std::span<char> into) = 0;

  /// The packed bytes that are not used yet; empty only at the end.
  std::span<const char> pending() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = packed_->read(input_);
    }
    return std::span<const char>(input_).subspan(begin_, end_ - begin_);
  }
  void use(std::size_t count) noexcept { begin_ += count; }
  /// Packed bytes for good; fewer than asked for only at the end.
  std::size_t take(std::span<char> into) {
    std::size_t got = 0;
    while (got < into.size()) {
      const std::span<const char> there = pending();
      if (there.empty()) break;
      const std::size_t count = std::min(there.size(), into.size() - got);
      std::copy_n(there.data(), count, into.data() + got);
      use(count);
      got += count;
    }
    return got;
  }

  void finish(bool cut_short) noexcept {
    finished_ = true;
    cut_short_ = cut_short;
  }
  [[noreturn]] void damaged(const char* format) const {
    throw Error(Errc::bad_file, name_ + ": damaged " + format + " data");
  }
  [[noreturn]] void no_set_up(const char* library) const {
    throw Error(Errc::capacity, name_ + ": " + library + " cannot be set up");
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> input_;
  std::size_t begin_ = 0, end_ = 0;  ///< of what is in input_ and not used
  bool finished_ = false, cut_short_ = false;
};

constexpr std::string_view kGzipMagic = "\x1f\x8b";

class GzipSource final : public UnpackedSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, const std::string& name)
      : UnpackedSource(std::move(packed), name) {
    constexpr int kGzipWrapper = 16;  // zlib's flag, added to the window's bits
    if (inflateInit2(&state_, MAX_WBITS + kGzipWrapper) != Z_OK) no_set_up("zlib");
  }
  ~GzipSource() override { inflateEnd(&state_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

 private:
  std::size_t advance(std::span<char> into) override {
    const std::span<const char> input = pending();
    if (input.empty()) {
      finish(!between_members_);
      return 0;
    }
    if (members_ > 0 && between_members_ && input[0] != kGzipMagic[0]) {
      finish(false);  // padding behind the last member, as gzip itself allows
      return 0;
    }
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<uInt>(input.size());
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    const auto room = static_cast<uInt>(std::min(into.size(), std::size_t{1} << 30));
    state_.avail_out = room;
    const int result = inflate(&state_, Z_NO_FLUSH);
    use(input.size() - state_.avail_in);
    if (result == Z_STREAM_END) {
      ++members_;
      between_members_ = true;
      inflateReset(&state_);
    } else if (result == Z_OK) {
      between_members_ = false;
    } else {
      damaged("gzip");
    }
    return room - state_.avail_out;
  }

  z_stream state_{};
  std::size_t members_ = 0;
  bool between_members_ = false;
};

class ZstdSource final : public UnpackedSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, const std::string& name)
      : UnpackedSource(std::move(packed), name), state_(ZSTD_createDStream()) {
    constexpr int kWindowLog = 27;
    if (state_ == nullptr) no_set_up("zstd");
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const noexcept { ZSTD_freeDStream(state); }
  };

  std::size_t advance(std::span<char> into) override {
    const std::span<const char> input = pending();
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    if (input.empty() && !in_frame_) {
      finish(false);
      return 0;
    }
    const std::size_t result = ZSTD_decompressStream(state_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) damaged("zstd");
    use(in.pos);
    in_frame_ = result != 0;
    if (input.empty() && out.pos == 0) finish(in_frame_);
    return out.pos;
  }

  std::unique_ptr<ZSTD_DStream, Free> state_;
  bool in_frame_ = false;
};

class Lz4FrameSource final : public UnpackedSource {
 public:
  Lz4FrameSource(std::unique_ptr<ByteSource> packed, const std::string& name)
      : UnpackedSource(std::move(packed), name) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&state_, LZ4F_VERSION)) != 0) no_set_up("lz4");
  }
  ~Lz4FrameSource() override { LZ4F_freeDecompressionContext(state_); }
  Lz4FrameSource(const Lz4FrameSource&) = delete;
  Lz4FrameSource& operator=(const Lz4FrameSource&) = delete;

 private:
  std::size_t advance(std::span<char> into) override {
    const std::span<const char> input = pending();
    if (input.empty() && !in_frame_) {
      finish(false);
      return 0;
    }
    std::size_t used = input.size(), made = into.size();
    const std::size_t result =
        LZ4F_decompress(state_, into.data(), &made, input.data(), &used, nullptr);
    if (LZ4F_isError(result) != 0) damaged("lz4");
    use(used);
    in_frame_ = result != 0;
    if (input.empty() && made == 0) finish(in_frame_);
    return made;
  }

  LZ4F_dctx* state_ = nullptr;
  bool in_frame_ = false;
};

constexpr std::string_view kLz4BlockMagic = "LZ4Block";

/// The stream of lz4-java's LZ4BlockOutputStream: blocks of a header of 21 bytes and their data. A
/// header is the magic, one byte of method and block size, then as 32-bit little-endian numbers the
/// packed size, the unpacked size and the checksum of the unpacked bytes. A block of size zero ends
/// a stream; another stream may follow.
class Lz4BlockSource final : public UnpackedSource {
 public:
  Lz4BlockSource(std::unique_ptr<ByteSource> packed, const std::string& name)
      : UnpackedSource(std::move(packed), name) {}

 private:
  static constexpr std::size_t kHeader = 21, kPiece = std::size_t{1} << 20;
  static constexpr std::size_t kMaxRatio = 255;  ///< no lz4 block unpacks to more times its size
  static constexpr unsigned kRaw = 0x10, kPacked = 0x20;
  struct Header {
    unsigned method = 0;
    std::size_t packed = 0, unpacked = 0;
    std::uint32_t checksum = 0;
  };

  std::size_t advance(std::span<char> into) override {
    if (given_ == block_.size() && !next_block()) return 0;
    const std::size_t count = std::min(into.size(), block_.size() - given_);
    std::copy_n(block_.data() + given_, count, into.data());
    given_ += count;
    return count;
  }

  /// False behind the last block, or with one that was the end of a stream.
  bool next_block() {
    block_.clear();
    given_ = 0;
    std::array<char, kHeader> bytes{};
    const std::size_t got = take(bytes);
    if (got < kHeader) {
      finish(got > 0 || !between_streams_);
      return false;
    }
    const Header header = read_header(bytes);
    between_streams_ = header.unpacked == 0;
    if (between_streams_) return false;
    if (!take_packed(header.packed)) {
      finish(true);
      return false;
    }
    unpack(header);
    return true;
  }

  Header read_header(std::span<const char, kHeader> bytes) const {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    const auto number = [&](std::size_t at) {
      return std::uint32_t{byte(at)} | std::uint32_t{byte(at + 1)} << 8 |
             std::uint32_t{byte(at + 2)} << 16 | std::uint32_t{byte(at + 3)} << 24;
    };
    if (std::string_view(bytes.data(), kLz4BlockMagic.size()) != kLz4BlockMagic) damaged("lz4");
    Header header{byte(8) & 0xf0U, number(9), number(13), number(17)};
    constexpr unsigned kSmallestLog = 10;
    const std::size_t limit = std::size_t{1} << (kSmallestLog + (byte(8) & 0x0fU));
    const bool sizes = header.unpacked <= limit && header.unpacked <= header.packed * kMaxRatio &&
                       (header.unpacked == 0) == (header.packed == 0) &&
                       (header.method != kRaw || header.packed == header.unpacked) &&
                       header.packed <= static_cast<std::size_t>(LZ4_COMPRESSBOUND(limit));
    if (!sizes || (header.method != kRaw && header.method != kPacked) ||
        (header.unpacked == 0 && header.checksum != 0)) {
      damaged("lz4");
    }
    return header;
  }

  /// Piece by piece: a size that is a lie claims no memory.
  bool take_packed(std::size_t size) {
    for (packed_.clear(); packed_.size() < size;) {
      const std::size_t before = packed_.size();
      packed_.resize(std::min(size, before + kPiece));
      if (take(std::span(packed_).subspan(before)) < packed_.size() - before) return false;
    }
    return true;
  }

  void unpack(const Header& header) {
    if (header.method == kRaw) {
      block_ = packed_;
    } else {
      block_.resize(header.unpacked);
      const int made =
          LZ4_decompress_safe(packed_.data(), block_.data(), static_cast<int>(packed_.size()),
                              static_cast<int>(block_.size()));
      if (made < 0 || static_cast<std::size_t>(made) != block_.size()) damaged("lz4");
    }
    constexpr std::uint32_t kSeed = 0x9747b28c, kMask = 0x0fffffff;  // lz4-java's
    if ((XXH32(block_.data(), block_.size(), kSeed) & kMask) != header.checksum) damaged("lz4");
  }

  std::vector<char> packed_, block_;
  std::size_t given_ = 0;  ///< of block_
  bool between_streams_ = false;
};

template <class Source>
std::unique_ptr<ByteSource> made(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<Source>(std::move(source), name);
}
struct Format {
  std::string_view name, magic;
  std::unique_ptr<ByteSource> (*make)(std::unique_ptr<ByteSource>, const std::string&);
};
constexpr std::array<Format, 10> kFormats = {{
    {"gzip", kGzipMagic, made<GzipSource>},
    {"zstd", "\x28\xb5\x2f\xfd", made<ZstdSource>},
    {"lz4", "\x04\x22\x4d\x18", made<Lz4FrameSource>},
    {"lz4", kLz4BlockMagic, made<Lz4BlockSource>},
    {"snappy", "\x82SNAPPY", nullptr},
    {"lzf", "ZV", nullptr},
    {"lz4 of the old form", "\x02\x21\x4c\x18", nullptr},
    {"bzip2", "BZh", nullptr},
    {"xz", "\xfd\x37zXZ", nullptr},
    {"zip", "PK\x03\x04", nullptr},
}};

}  // namespace

std::unique_ptr<ByteSource> plain_text(std::unique_ptr<ByteSource> source,
                                       const std::string& name) {
  std::string head(8, '\0');
  head.resize(source->read(head));
  const auto format = std::ranges::find_if(
      kFormats, [&](const Format& one) { return head.starts_with(one.magic); });
  auto whole = std::make_unique<PeekedSource>(std::move(head), std::move(source));
  if (format == kFormats.end()) return whole;
  if (format->make != nullptr) return format->make(std::move(whole), name);
  throw Error(Errc::bad_file, name + ": compressed with " + std::string(format->name) +
                                  "; plain text, gzip, zstd and lz4 are read, unpack it first");
}

}  // namespace park::files
