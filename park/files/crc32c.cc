#include "park/files/crc32c.h"

#include <array>
#include <cstdio>

namespace park::files {
namespace {

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = c;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc) noexcept {
  crc = ~crc;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~crc;
}

std::string crc32c_text(std::uint32_t crc) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

}  // namespace park::files
