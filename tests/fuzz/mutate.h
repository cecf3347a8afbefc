#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/rng.h"

namespace park::test {

/// Damages a text in one to four places. Equal generators damage equally.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : rng_(seed) {}

  std::string operator()(std::string text, const std::string& donor) {
    const std::uint64_t changes = 1 + rng_.below(4);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) change(text, donor);
    return text;
  }
  [[nodiscard]] Rng& rng() noexcept { return rng_; }

 private:
  std::size_t place(const std::string& text) { return rng_.below(text.size()); }
  std::size_t length() { return 1 + rng_.below(rng_.below(8) == 0 ? 200 : 8); }

  void change(std::string& text, const std::string& donor) {
    const std::size_t at = place(text);
    switch (rng_.below(8)) {
      case 0:  // a bit
        text[at] = static_cast<char>(text[at] ^ (1 << rng_.below(8)));
        break;
      case 1:  // a byte
        text[at] = static_cast<char>(rng_.below(256));
        break;
      case 2:  // a piece is lost
        text.erase(at, length());
        break;
      case 3:  // a piece comes twice
        text.insert(place(text), text.substr(at, length()));
        break;
      case 4:  // a piece of something else
        text.replace(at, length(), donor.substr(rng_.below(donor.size()), length()));
        break;
      case 5:  // the end is lost
        if (rng_.below(4) == 0) text.resize(at);
        break;
      case 6:
        number(text, at);
        break;
      default:  // a field of extreme bytes
        for (std::size_t i = at; i < text.size() && i < at + 4; ++i) {
          text[i] = static_cast<char>(rng_.below(2) == 0 ? 0xff : 0x00);
        }
    }
  }

  /// Another number for the next one in the text, if there is one.
  void number(std::string& text, std::size_t at) {
    static const std::vector<std::string> kNumbers = {"0",
                                                      "-1",
                                                      "1",
                                                      "65536",
                                                      "2147483648",
                                                      "4294967295",
                                                      "9007199254740993",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "99999999999999999999",
                                                      "1e9",
                                                      "NaN"};
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    std::size_t end = text.find_first_not_of("0123456789", begin);
    if (end == std::string::npos) end = text.size();
    text.replace(begin, end - begin, kNumbers[rng_.below(kNumbers.size())]);
  }

  Rng rng_;
};

/// The lines of a text, shuffled, dropped and doubled here and there.
inline std::string shuffle_lines(const std::string& text, Rng& rng) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  for (std::uint64_t i = 1 + rng.below(4); i > 0 && !lines.empty(); --i) {
    const std::size_t a = rng.below(lines.size()), b = rng.below(lines.size());
    const std::uint64_t what = rng.below(3);
    if (what == 0) std::swap(lines[a], lines[b]);
    if (what == 1) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
    if (what == 2) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(a), lines[b]);
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

}  // namespace park::test
