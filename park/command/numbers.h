#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace park::command {

/// The number that a text is as a whole; it may be infinite or none at all, such as nan.
template <class T>
[[nodiscard]] std::optional<T> whole_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return {};
  return value;
}

/// Decimals that show `digits` significant digits of the largest of these magnitudes, at most 9.
[[nodiscard]] int decimals_for(std::span<const double> values, int digits = 4);

/// For people: that many decimals, or scientific where the number is out of all proportion;
/// "-" where it is undefined.
[[nodiscard]] std::string rounded(double value, int decimals);

/// The same with a sign in front of what is not zero.
[[nodiscard]] std::string signed_text(double value, int decimals);

/// For people, of one number alone.
[[nodiscard]] std::string rounded(double value);

/// For people: "85 ms", "12.3 s", "4 min 05 s", "3 h 20 min".
[[nodiscard]] std::string duration_text(double seconds);

/// For people: "950", "12.3 k", "4.56 M".
[[nodiscard]] std::string count_text(double count);

/// For people: "1 episode", "2 episodes"; "1 try", "2 tries".
[[nodiscard]] std::string plural(std::uint64_t count, const std::string& noun);

}  // namespace park::command
