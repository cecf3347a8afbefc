// Parser and printer of the grammar in text.h. The parser walks once over the text with one
// position and a depth; each function reads one production. to_text quotes where parse_text would
// read something else. Registries, configurations and the command line call it.
#include "park/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "park/core/error.h"

namespace park {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr int kDepthLimit = 32;

bool is_bare(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && std::string_view("_-+./:@").find(c) != std::string_view::npos);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value parse() {
    Value v = value(0);
    if (at_ != text_.size()) fail("the end");
    return v;
  }

 private:
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) noexcept {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!take(c)) fail(what);
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(Errc::syntax, "'" + surroundings() + "': expected " + std::string(expected) +
                                  " at position " + std::to_string(at_ + 1));
  }
  /// The text; of a long one what is around the position.
  [[nodiscard]] std::string surroundings() const {
    constexpr std::size_t kLongest = 120;
    if (text_.size() <= kLongest) return std::string(text_);
    const std::size_t begin = std::min(at_ - std::min(at_, kLongest / 2), text_.size() - kLongest);
    return (begin > 0 ? "..." : "") + std::string(text_.substr(begin, kLongest)) +
           (begin + kLongest < text_.size() ? "..." : "");
  }

  std::string word(std::string_view what) {
    const std::size_t begin = at_;
    while (is_bare(peek())) ++at_;
    if (begin == at_) fail(what);
    return std::string(text_.substr(begin, at_ - begin));
  }

  Value value(int depth) {
    if (depth > kDepthLimit) fail("at most " + std::to_string(kDepthLimit) + " levels of nesting");
    if (take('"')) return quoted();
    if (take('[')) return list(depth);
    Value v;
    v.text = word("a value");
    if (take('(')) fields(v, depth);
    return v;
  }

  Value quoted() {
    Value v{Value::Kind::quoted, {}, {}, {}};
    while (!take('"')) {
      if (take('\\') && peek() != '"' && peek() != '\\') fail("\\\" or \\\\");
      if (at_ >= text_.size()) fail("'\"'");
      v.text += text_[at_++];
    }
    return v;
  }

  Value list(int depth) {
    Value v{Value::Kind::list, {}, {}, {}};
    if (take(']')) return v;
    do v.items.push_back(value(depth + 1));
    while (take(','));
    expect(']', "',' or ']'");
    return v;
  }

  void fields(Value& v, int depth) {
    v.kind = Value::Kind::call;
    if (take(')')) return;
    do {
      v.keys.push_back(word("a field name"));
      expect('=', "'='");
      v.items.push_back(value(depth + 1));
    } while (take(','));
    expect(')', "',' or ')'");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string quote(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s + '"';
}

std::string join_items(const Value& v) {
  std::string s;
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    if (i > 0) s += ',';
    if (v.kind == Value::Kind::call) s += v.keys[i] + '=';
    s += to_text(v.items[i]);
  }
  return s;
}

/// Where the part that begins at `begin` ends: the next comma outside brackets and quotes.
std::size_t part_end(std::string_view text, std::size_t begin) noexcept {
  int depth = 0;
  bool in_quotes = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      if (c == '\\') ++i;
      if (c == '"') in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

Value parse_text(std::string_view text) { return Parser(text).parse(); }

Value parse_named(std::string_view text) {
  Value v = parse_text(text);
  if (v.kind == Value::Kind::bare || v.kind == Value::Kind::call) return v;
  throw Error(Errc::syntax, "'" + std::string(text) + "': expected a name at position 1");
}

std::string to_text(const Value& v) {
  switch (v.kind) {
    case Value::Kind::list:
      return '[' + join_items(v) + ']';
    case Value::Kind::call:
      return v.items.empty() ? v.text : v.text + '(' + join_items(v) + ')';
    case Value::Kind::bare:
    case Value::Kind::quoted:
      break;
  }
  return !v.text.empty() && std::ranges::all_of(v.text, is_bare) ? v.text : quote(v.text);
}

std::vector<std::string> split_policies(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = part_end(text, begin);
    if (end == begin)
      throw Error(Errc::syntax, "'" + std::string(text) + "': expected a policy at position " +
                                    std::to_string(begin + 1));
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

std::size_t utf8_length(std::string_view text) noexcept {
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

bool is_control(std::string_view sequence) noexcept {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view part = text.substr(0, std::max<std::size_t>(length, 1));
    const bool safe = length > 0 && (!is_control(part) || kept.find(part) != kept.npos);
    if (safe) shown += part;
    for (const char c : safe ? std::string_view() : part) {
      const auto byte = static_cast<unsigned char>(c);
      shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
    text.remove_prefix(part.size());
  }
  return shown;
}

std::string hash_digits(std::uint64_t hash) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = kHex[hash & 15];
  return digits;
}

std::string number_text(double v) {
  std::array<char, 32> b{};
  return {b.data(), std::to_chars(b.data(), b.data() + b.size(), v).ptr};
}

}  // namespace park
