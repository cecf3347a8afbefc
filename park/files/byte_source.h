#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace park::files {

/// Bytes that are read at once.
inline constexpr std::size_t kBlock = std::size_t{1} << 16;

/// A stream of bytes that ends.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills from the front; fewer bytes than asked for only at the end. Throws Error.
  virtual std::size_t read(std::span<char> into) = 0;
  /// True when the stream broke off in a way that loses its end: a compressed one cut short.
  [[nodiscard]] virtual bool cut_short() const noexcept { return false; }
};

/// Bytes in memory, which must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::string_view bytes);

/// A file. Throws Error{io}.
[[nodiscard]] std::unique_ptr<ByteSource> file_source(const std::string& path);

}  // namespace park::files
