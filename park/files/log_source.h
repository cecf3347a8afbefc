#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Cuts a source into lines. Holds one line at a time, of kMaxLine bytes at most.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 26;

  /// `name` is for messages.
  LineReader(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// The next line without its end, valid until the next call; false behind the last.
  /// Throws Error{bad_file} for a line that is too long.
  [[nodiscard]] bool next(std::string_view& line);
  /// Whether a line end followed the line delivered last. Only the last line may have none.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Number of that line, from 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  bool fill();
  void check_length(std::size_t bytes) const;

  ByteSource& source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< part of the buffer that is not delivered
  std::uint64_t number_ = 0;
  bool ended_ = true, exhausted_ = false;
};

}  // namespace park::files
