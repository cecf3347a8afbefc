#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace park {

/// A parsed text of the one grammar that names environments and policies everywhere:
///     text   = name [ "(" [ field { "," field } ] ")" ]
///     field  = key "=" value
///     value  = bare | quoted | list | text
///     list   = "[" [ value { "," value } ] "]"
///     bare   = letters, digits and _ - + . / : @
///     quoted = '"' ... '"' with \" and \\ inside
/// A name and a key are bare.
/// White space belongs inside quotes only. What a bare word means (number, bool, text) is decided
/// by the type of the field that reads it.
struct Value {
  enum class Kind { bare, quoted, list, call };
  Kind kind = Kind::bare;
  std::string text{};               ///< the word, the unquoted text, or the name of a call
  std::vector<std::string> keys{};  ///< of a call: keys[i] = items[i]
  std::vector<Value> items{};       ///< of a call or a list
  bool operator==(const Value&) const = default;
};

/// Throws Error{syntax} naming the position (from 1) and what was expected there; nesting deeper
/// than 32 is an error.
[[nodiscard]] Value parse_text(std::string_view);
/// Parses a text that names something: "name" or "name(...)"; anything else is Error{syntax}.
[[nodiscard]] Value parse_named(std::string_view);

/// The text that parse_text reads back; quotes only where they are needed.
[[nodiscard]] std::string to_text(const Value&);

/// 16 hexadecimal digits.
[[nodiscard]] std::string hash_digits(std::uint64_t);

/// Splits "a,b(c=1,d=[2,3])" at the commas outside brackets and quotes. Throws Error{syntax} where
/// a part is empty.
[[nodiscard]] std::vector<std::string> split_policies(std::string_view);

/// Bytes of the UTF-8 sequence that a text begins with; 0 where it is none. Overlong forms,
/// surrogates and numbers beyond U+10FFFF are none. REQUIRES a text that is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// Whether a sequence of utf8_length is a control character: U+0000 to U+001F, U+007F to U+009F.
[[nodiscard]] bool is_control(std::string_view sequence) noexcept;

/// A text of others as a terminal or a page may show it. Each byte of a control character is shown
/// as \xNN, and so is each byte that is no UTF-8. Those in `kept`, such as "\n", stay.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = "");

/// The shortest text that reads back as the same number, in any locale: 0.1, 1e+05, inf.
[[nodiscard]] std::string number_text(double);

}  // namespace park
