#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace park::files {

/// Thrown by JsonCursor; the text says what was expected, not where.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads selected values of one JSON text and skips the rest, without building a tree. Most bytes
/// of an event log are values that are not needed. Skipped values are checked only for balanced
/// brackets and terminated strings. Use it for long texts and for texts with unknown members;
/// json_tree.h and json_fields.h build values instead.
///
///     JsonCursor json(line);
///     json.enter_object();
///     while (json.next_key(key)) {
///       if (key == "Stage ID") stage = json.integer();
///       else json.skip();
///     }
///
/// Every value must be taken or skipped. Nesting may be at most kMaxDepth deep.
class JsonCursor {
 public:
  static constexpr std::size_t kMaxDepth = 256;

  /// The text must outlive the cursor.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  void enter_object() { enter('{'); }
  /// The next key of the object entered last, or false after its end. `key` points into the text
  /// and keeps its escapes, which no relevant key has.
  [[nodiscard]] bool next_key(std::string_view& key);

  void enter_array() { enter('['); }
  /// True if there is one more element to take; false after the array's end.
  [[nodiscard]] bool next_element();

  [[nodiscard]] std::int64_t integer();
  /// A whole number that is not negative.
  [[nodiscard]] std::uint64_t natural();
  /// Any finite number.
  [[nodiscard]] double number();
  [[nodiscard]] bool boolean();
  /// A string with its escapes, unchanged; points into the text.
  [[nodiscard]] std::string_view plain_text() { return raw_string(); }
  /// A string, its escapes decoded, in place of what `out` held.
  void text(std::string& out);
  void skip();
  /// True when the next value begins with this character: '{', '[', '"' ...
  [[nodiscard]] bool is(char first);
  /// Nothing but white space may be left.
  void finish();

 private:
  void space() noexcept;
  template <class Whole>
  Whole whole();
  char take();
  void enter(char open);
  /// Steps over a separating comma; false behind `close`.
  bool more(char close);
  [[nodiscard]] std::string_view raw_string();
  void skip_nested();
  std::uint32_t hex4(std::string_view raw, std::size_t at) const;

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_ = false;  ///< nothing was taken yet of the object or array entered last
};

}  // namespace park::files
