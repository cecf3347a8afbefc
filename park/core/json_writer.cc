#include "park/core/json_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/text.h"

namespace park {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kDigits = "0123456789abcdef";

/// Bytes of the UTF-8 sequence that `text` begins with, or 0 where it is none: overlong forms,
/// surrogates and numbers beyond U+10FFFF are none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first < 0xE0  ? 2
                             : first >= 0xE0 && first < 0xF0  ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  return std::string("\\u00") + kDigits[code >> 4] + kDigits[code & 15];
}

}  // namespace

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
  separate();
  if (!levels_.empty() && levels_.back().layout == Layout::line) layout = Layout::line;
  text_ += bracket;
  levels_.push_back({layout});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.layout == Layout::lines) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool yes) { return raw(yes ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(number_text(number)) : null();
}

JsonWriter& JsonWriter::values(std::span<const double> numbers) {
  begin_array(Layout::line);
  for (const double number : numbers) value(number);
  return end_array();
}

JsonWriter& JsonWriter::values(std::span<const std::string> texts) {
  begin_array(Layout::line);
  for (const std::string& text : texts) value(text);
  return end_array();
}

std::string JsonWriter::take() {
  text_ += '\n';
  return std::exchange(text_, {});
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false) || levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.layout == Layout::line ? ", " : ",";
  level.empty = false;
  if (level.layout == Layout::lines) new_line();
}

void JsonWriter::new_line() { text_ += '\n' + std::string(2 * levels_.size(), ' '); }

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const bool special = length == 1 && (text[0] == '"' || text[0] == '\\' ||
                                         static_cast<unsigned char>(text[0]) < 0x20);
    if (special)
      text_ += escaped(text[0]);
    else
      text_ += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  text_ += '"';
}

}  // namespace park
