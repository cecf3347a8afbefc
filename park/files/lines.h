#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/files/byte_source.h"

namespace park::files {

/// Ways to read lines: LineReader of a stream, take_line of a text in memory, NumberLines of a text
/// whose lines are words and numbers.

inline constexpr std::size_t kMostViolations = 10;  ///< of one input; more say nothing new

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

/// Cuts the next line off a text; it is without its end, CR included.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// The lines of a text that are not empty, with their numbers from 1. CR before LF is no part of a
/// line.
class NumberLines {
 public:
  explicit NumberLines(std::string_view text) : rest_(text) {}

  /// Goes to the next line; false after the last.
  bool next();
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// The next word of the line, cut at spaces and tabs, or "".
  [[nodiscard]] std::string_view word();

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

/// A plain decimal number that is the whole word and is within [low, high].
[[nodiscard]] std::optional<double> number_in(std::string_view word, double low, double high);

/// Adds "NAME:LINE: what".
void add_at(Violations&, const std::string& name, std::size_t line, const std::string& what);

}  // namespace park::files
