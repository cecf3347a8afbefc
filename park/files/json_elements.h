#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/files/byte_source.h"

namespace park::files {

/// Cuts a JSON text that is one array into its elements, as it is read. Holds one element at a time.
/// Only brackets and quotes are looked at, so that what is wrong within an element is for whoever
/// reads it (JsonCursor). For recorded logs, which may be larger than memory.
class JsonElements {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;  ///< of an element

  /// `name` is for messages.
  JsonElements(ByteSource& source, std::string name);

  /// The text of the next element, valid until the next call; false behind the last. Throws
  /// Error{bad_file} with the line where the text is no array, ends within it, continues behind it,
  /// or has an element that is too long.
  [[nodiscard]] bool next(std::string_view& element);
  /// The line that the element begins on, from 1.
  [[nodiscard]] std::uint64_t line() const noexcept { return begun_; }

 private:
  enum class Place { before, within, closed, behind };

  int get();
  int get_visible();
  /// Reads the element that begins with this character, and the comma or bracket behind it.
  void take(int first);
  [[noreturn]] void fail(const std::string& what) const;

  ByteSource& source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;  // in the buffer
  std::uint64_t line_ = 1, begun_ = 0;
  Place place_ = Place::before;
  std::string element_;
};

}  // namespace park::files
