#include "park/files/csv.h"

#include <cstddef>

namespace park::files {
namespace {

/// Takes a field in quotes off the front of `rest`; false where its end is missing.
bool take_quoted(std::string_view& rest, std::string& field) {
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      field += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      field += rest[i++];
    } else {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string split_csv(std::string_view line, std::vector<std::string>& fields) {
  fields.clear();
  for (;;) {
    std::string& field = fields.emplace_back();
    if (line.starts_with('"')) {
      if (!take_quoted(line, field)) return "a quoted field does not end on its line";
      if (!line.empty() && line[0] != ',') return "text behind a quoted field";
    } else {
      field = line.substr(0, line.find(','));
      line.remove_prefix(field.size());
    }
    if (line.empty()) return "";
    line.remove_prefix(1);
  }
}

}  // namespace park::files
