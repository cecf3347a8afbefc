#pragma once

#include <lz4.h>
#include <lz4frame.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace park::test {

/// One gzip stream.
inline std::string gzip(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(packed.size() - state.avail_out);
  deflateEnd(&state);
  return packed;
}

/// One zstd frame, with a checksum.
inline std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(state, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(state);
  return packed;
}

/// One lz4 frame.
inline std::string lz4_frame(std::string_view text) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string packed(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), text.data(), text.size(), &preferences));
  return packed;
}

/// Blocks as lz4-java's LZ4BlockOutputStream writes them: 64 kB each, the last one of size zero.
inline std::string lz4_blocks(std::string_view text) {
  constexpr std::size_t kBlock = 1 << 16;
  constexpr std::uint32_t kSeed = 0x9747b28c;
  std::string all;
  const auto number = [&](std::uint64_t value) {
    for (int i = 0; i < 4; ++i) all += static_cast<char>(value >> (8 * i));
  };
  for (std::size_t at = 0;; at += kBlock) {
    const std::string_view block = text.substr(std::min(at, text.size()), kBlock);
    std::string packed(static_cast<std::size_t>(LZ4_COMPRESSBOUND(kBlock)), '\0');
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(block.data(), packed.data(),
                                                                static_cast<int>(block.size()),
                                                                static_cast<int>(packed.size()))));
    const bool raw = packed.size() >= block.size();
    all += "LZ4Block";
    all += static_cast<char>((raw ? 0x10 : 0x20) | 6);
    number(raw ? block.size() : packed.size());
    number(block.size());
    number(block.empty() ? 0 : XXH32(block.data(), block.size(), kSeed) & 0x0fffffff);
    if (block.empty()) return all;
    all += raw ? std::string(block) : packed;
  }
}

}  // namespace park::test
