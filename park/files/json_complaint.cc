#include "park/files/json_complaint.h"

#include <algorithm>

#include "park/files/shown.h"

namespace park::files {
namespace {

constexpr std::size_t kMostShown = 240;  ///< bytes; the parser may quote any number of them

/// The parser's own words, which may quote any bytes of the file.
std::string shown_long(std::string_view what) {
  std::string text;
  for (; !what.empty() && text.size() < kMostShown;
       what.remove_prefix(std::min<std::size_t>(what.size(), 80)))
    text += shown(what.substr(0, 80));
  return text;
}

/// Cuts off all up to the first `end`, where there is one.
void cut_behind(std::string_view& text, std::string_view end) {
  if (const std::size_t at = text.find(end); at != std::string_view::npos)
    text.remove_prefix(at + end.size());
}

}  // namespace

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
std::string json_complaint(std::string_view what, std::string_view last) {
  cut_behind(what, "] ");
  if (what.starts_with("parse error")) cut_behind(what, ": ");
  return "no JSON: " + (what.empty() ? "near " + shown(last) : shown_long(what));
}

}  // namespace park::files
