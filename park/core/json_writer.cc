#include "park/core/json_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/text.h"

namespace park {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kDigits = "0123456789abcdef";

/// Of a control character: JSON demands it below U+0020, and terminals obey the others as well.
std::string escaped(std::string_view sequence) {
  switch (sequence[0]) {
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
  const auto code = static_cast<unsigned char>(sequence.back());  // U+0080 + n ends with 80 + n
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
    const std::size_t length = utf8_length(text);
    const std::string_view part = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0)
      text_ += kReplacement;
    else if (part == "\"" || part == "\\" || is_control(part))
      text_ += escaped(part);
    else
      text_ += part;
    text.remove_prefix(part.size());
  }
  text_ += '"';
}

}  // namespace park
