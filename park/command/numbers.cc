#include "park/command/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace park::command {
namespace {

constexpr int kMostDecimals = 9;

std::string fixed(double value, int decimals) {
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  std::string text(buffer.data(), end);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string two_digits(long long value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

int decimals_for(std::span<const double> values, int digits) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  if (largest == 0) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(largest))), 0,
                    kMostDecimals);
}

std::string rounded(double value, int decimals) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Beside numbers that show fewer decimals, one that is smaller than all of them is nothing.
  if (std::abs(value) < 0.5e-9 && decimals < kMostDecimals) value = 0;
  if (std::abs(value) < 1e9 && (value == 0 || std::abs(value) >= 0.5e-9))
    return fixed(value, decimals);
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 3)
                       .ptr;
  return {buffer.data(), end};
}

std::string signed_text(double value, int decimals) {
  return (value > 0 ? "+" : "") + rounded(value, decimals);
}

std::string rounded(double value) { return rounded(value, decimals_for({&value, 1})); }

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0.9995) return fixed(seconds * 1e3, 0) + " ms";
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  const long long whole = std::llround(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

std::string count_text(double count) {
  if (count < 999.5) return fixed(count, 0);
  for (const char* unit : {" k", " M", " G"}) {
    count /= 1000;
    if (count < 999.5) return fixed(count, count < 9.995 ? 2 : count < 99.95 ? 1 : 0) + unit;
  }
  return fixed(count / 1000, 0) + " T";
}

std::string plural(std::uint64_t count, const std::string& noun) {
  const std::string number = std::to_string(count) + ' ';
  if (count == 1) return number + noun;
  if (noun.ends_with('y')) return number + noun.substr(0, noun.size() - 1) + "ies";
  for (const char* end : {"ch", "sh", "s", "x"})
    if (noun.ends_with(end)) return number + noun + "es";
  return number + noun + 's';
}

}  // namespace park::command
