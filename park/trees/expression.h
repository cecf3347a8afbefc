#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace park::trees {

/// A feature as text. The grammar:
///     expression = term { ("+" | "-") term }
///     term       = factor { ("*" | "/") factor }
///     factor     = number | "-" factor | "(" expression ")" | call | name
///     call       = ("min" | "max") "(" expression { "," expression } ")" | "log" "(" expression ")"
///     name       = [ word ] [ "[" number "]" ] { "#" word }
/// A word has lower-case letters, digits, "_" and "."; what names mean is said in features.h.
struct Expression {
  enum class Kind : std::uint8_t {
    number,
    name,
    sum,
    difference,
    product,
    quotient,
    negative,
    min,
    max,
    log
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name{};                    ///< "" of "#candidates"
  std::optional<std::uint32_t> entry{};  ///< of a name: "[3]"
  std::vector<std::string> suffixes{};   ///< of a name: "rank"
  std::vector<Expression> args{};        ///< of all but numbers and names

  bool operator==(const Expression&) const = default;
};

/// Whether a character may stand in a word.
[[nodiscard]] bool is_of_word(char) noexcept;

/// Reads an expression and takes it off the text; stops where it cannot continue. Throws
/// Error{syntax} with what was expected instead of what.
[[nodiscard]] Expression take_expression(std::string_view& text);
/// Reads a text that is one expression.
[[nodiscard]] Expression parse_expression(std::string_view text);
/// The text that parse_expression reads back; equal expressions have equal texts.
[[nodiscard]] std::string to_text(const Expression&);

}  // namespace park::trees
