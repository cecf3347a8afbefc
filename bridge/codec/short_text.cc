#include "bridge/codec/short_text.h"

#include <algorithm>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"

namespace park::bridge {
namespace {

constexpr std::size_t kRoomForRest = 64;  // for what is said about the rest

/// Of the bytes of a character in UTF-8 all but the first one.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string short_text(const std::string& text) {
  if (text.size() <= kMostAnswerText) return text;
  std::size_t end = kMostAnswerText - kRoomForRest;
  if (const std::size_t line = text.rfind('\n', end); line != std::string::npos && line > 0) {
    const auto left =
        std::count(text.begin() + static_cast<std::ptrdiff_t>(line), text.end(), '\n');
    return text.substr(0, line) + "\nand " + std::to_string(left) +
           (left == 1 ? " more line" : " more lines");
  }
  while (end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end) + "... and " + std::to_string(text.size() - end) + " more bytes";
}

std::string asked_text(capnp::Text::Reader from, const char* field) {
  if (from.size() <= kMostAskedText) return text_of(from);
  throw Failed(Code::TOO_MUCH, std::string(field) + ": the text has " +
                                   std::to_string(from.size()) + " bytes, at most " +
                                   std::to_string(kMostAskedText) + " are allowed");
}

}  // namespace park::bridge
