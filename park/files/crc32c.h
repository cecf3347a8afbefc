#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace park::files {

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), as in RFC 3720; `crc` continues one.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc = 0) noexcept;

/// Eight hexadecimal digits.
[[nodiscard]] std::string crc32c_text(std::uint32_t);

}  // namespace park::files
