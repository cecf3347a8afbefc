#include "park/files/shown.h"

namespace park::files {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string copy(text.substr(0, kLongest));
  for (char& c : copy) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > kLongest ? copy + "..." : copy;
}

}  // namespace park::files
