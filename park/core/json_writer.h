#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace park {

/// Writes JSON text in the order of the calls. A number is the shortest text that reads back, in
/// any locale; an undefined or infinite one is null. Bytes that are not UTF-8 become the
/// replacement character.
class JsonWriter {
 public:
  enum class Layout { lines, line };  ///< one element per line, or all on one line

  JsonWriter& begin_object(Layout layout = Layout::lines) { return begin('{', layout); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array(Layout layout = Layout::lines) { return begin('[', layout); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view);

  JsonWriter& value(std::string_view);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool);
  JsonWriter& value(double);
  template <std::integral I>
  requires(!std::same_as<I, bool>) JsonWriter& value(I number) {
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& values(std::span<const double>);
  JsonWriter& values(std::span<const std::string>);

  /// key(name).value(x) in one.
  template <class T>
  JsonWriter& member(std::string_view name, const T& x) {
    return key(name).value(x);
  }

  /// The finished text with a closing line end.
  [[nodiscard]] std::string take();

 private:
  struct Level {
    Layout layout;
    bool empty = true;
  };
  JsonWriter& begin(char bracket, Layout);
  JsonWriter& end(char bracket);
  JsonWriter& raw(std::string_view);
  void separate();
  void new_line();
  void quote(std::string_view);

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace park
