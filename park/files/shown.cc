#include "park/files/shown.h"

#include "park/core/text.h"

namespace park::files {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return printable(text);
  std::size_t end = kLongest;  // of whole characters
  while (end > kLongest - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

}  // namespace park::files
