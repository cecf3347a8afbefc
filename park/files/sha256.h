#pragma once

#include <string>
#include <string_view>

namespace park::files {

/// SHA-256 (FIPS 180-4) of bytes, as 64 hexadecimal digits.
[[nodiscard]] std::string sha256_text(std::string_view bytes);

}  // namespace park::files
