// A cursor over the text of one JSON value: a position and the nesting depth, no tree. The caller
// enters objects and arrays and takes or skips every value in the order of the text; skip steps
// over a nested value by looking at brackets and quotes alone. Readers of event logs, manifests and
// headers of tensor files call it, because they keep a few fields of large texts.
#include "park/files/json_cursor.h"

#include <array>
#include <bitset>
#include <charconv>
#include <cmath>
#include <cstring>

namespace park::files {
namespace {

/// The characters that matter while a nested value is stepped over.
constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

char unescaped(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      throw JsonError("an unknown escape in a string");
  }
}

}  // namespace

void JsonCursor::space() noexcept {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
    ++at_;
  }
}

char JsonCursor::take() {
  space();
  if (at_ == text_.size()) throw JsonError("the text ends too early");
  return text_[at_++];
}

bool JsonCursor::is(char first) {
  space();
  return at_ < text_.size() && text_[at_] == first;
}

void JsonCursor::enter(char open) {
  if (take() != open) throw JsonError(open == '{' ? "expected an object" : "expected an array");
  fresh_ = true;
}

bool JsonCursor::more(char close) {
  const bool first = fresh_;
  fresh_ = false;
  if (is(close)) {
    ++at_;
    return false;
  }
  if (!first && take() != ',') throw JsonError("expected a comma");
  return true;
}

bool JsonCursor::next_key(std::string_view& key) {
  if (!more('}')) return false;
  key = raw_string();
  if (take() != ':') throw JsonError("expected a colon");
  return true;
}

bool JsonCursor::next_element() { return more(']'); }

std::string_view JsonCursor::raw_string() {
  if (take() != '"') throw JsonError("expected a string");
  const std::size_t begin = at_;
  for (;;) {
    const void* found = std::memchr(text_.data() + at_, '"', text_.size() - at_);
    if (found == nullptr) throw JsonError("a string has no end");
    const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
    std::size_t slashes = 0;
    while (quote - slashes > begin && text_[quote - slashes - 1] == '\\') ++slashes;
    at_ = quote + 1;
    if (slashes % 2 == 0) return text_.substr(begin, quote - begin);
  }
}

std::uint32_t JsonCursor::hex4(std::string_view raw, std::size_t at) const {
  std::uint32_t code = 0;
  if (at + 4 > raw.size()) throw JsonError("an unknown escape in a string");
  const char* end = raw.data() + at + 4;
  if (std::from_chars(raw.data() + at, end, code, 16).ptr != end) {
    throw JsonError("an unknown escape in a string");
  }
  return code;
}

void JsonCursor::text(std::string& out) {
  const std::string_view raw = raw_string();
  out.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
    } else if (raw[++i] != 'u') {  // raw never ends in a lone backslash
      out += unescaped(raw[i]);
    } else {
      std::uint32_t code = hex4(raw, i + 1);
      i += 4;
      const bool high = code >= 0xd800 && code < 0xdc00;
      if (high && raw.substr(i + 1).starts_with("\\u")) {
        const std::uint32_t low = hex4(raw, i + 3);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        }
      }
      const bool lone = code >= 0xd800 && code < 0xe000;
      append_utf8(lone ? 0xfffd : code, out);
    }
  }
}

template <class Whole>
Whole JsonCursor::whole() {
  space();
  Whole value = 0;
  const char* begin = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool fraction = stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E');
  if (error != std::errc() || fraction) throw JsonError("expected a whole number");
  at_ += static_cast<std::size_t>(stop - begin);
  return value;
}

std::int64_t JsonCursor::integer() { return whole<std::int64_t>(); }
std::uint64_t JsonCursor::natural() { return whole<std::uint64_t>(); }

double JsonCursor::number() {
  space();
  double value = 0;
  const char* begin = text_.data() + at_;
  const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc() || !std::isfinite(value)) throw JsonError("expected a number");
  at_ += static_cast<std::size_t>(stop - begin);
  return value;
}

bool JsonCursor::boolean() {
  space();
  const std::string_view rest = text_.substr(at_);
  const bool value = rest.starts_with("true");
  if (!value && !rest.starts_with("false")) throw JsonError("expected true or false");
  at_ += value ? 4 : 5;
  return value;
}

void JsonCursor::skip_nested() {
  std::bitset<kMaxDepth> square;
  std::size_t depth = 0;
  do {
    while (at_ < text_.size() && !kStructural[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ == text_.size()) throw JsonError("the text ends too early");
    const char c = text_[at_];
    if (c == '"') {
      (void)raw_string();
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') {
      if (depth == kMaxDepth) throw JsonError("nested too deeply");
      square[depth++] = c == '[';
    } else if (square[--depth] != (c == ']')) {
      throw JsonError("brackets that do not match");
    }
  } while (depth > 0);
}

void JsonCursor::skip() {
  fresh_ = false;
  if (is('{') || is('[')) return skip_nested();
  if (is('"')) return void(raw_string());
  const std::size_t begin = at_;
  while (at_ < text_.size() && std::strchr(",]} \t\r\n", text_[at_]) == nullptr) ++at_;
  if (at_ == begin) throw JsonError("expected a value");
}

void JsonCursor::finish() {
  space();
  if (at_ != text_.size()) throw JsonError("text behind the end");
}

}  // namespace park::files
