#include "park/cli/field_options.h"

#include <algorithm>
#include <string_view>

#include "park/cli/strings.h"
#include "park/workload/command_text.h"

namespace park::cli {
namespace {

/// A default as people would write it; none of a range without end.
std::string plain(const std::string& default_text) {
  if (default_text == "inf") return "";
  return parse_text(default_text).text;
}

std::string placeholder(const FieldInfo& field) {
  if (!field.choices.empty()) return joined(field.choices, "|");
  return field.type == "integer" ? "N" : field.type == "number" ? "X" : "TEXT";
}

}  // namespace

FieldOptions::FieldOptions(const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& field : fields) {
    const std::string standard = plain(field.default_text);
    entries_.push_back({field, standard, standard});
  }
}

void FieldOptions::declare(Options& options) {
  for (Entry& entry : entries_) {
    options.text(workload::option_name(entry.field.name), placeholder(entry.field), entry.text,
                 entry.field.doc);
  }
}

Value FieldOptions::given() const {
  Value all{Value::Kind::call, "options", {}, {}};
  for (const Entry& entry : entries_) {
    if (entry.text == entry.standard) continue;
    const bool text = entry.field.type == "text";
    all.keys.push_back(entry.field.name);
    all.items.push_back({text ? Value::Kind::quoted : Value::Kind::bare, entry.text, {}, {}});
  }
  return all;
}

void FieldOptions::add(const std::string& lines, Violations& wrong) const {
  for (const std::string& line : split(lines, '\n')) {
    std::string text;
    for (const std::string& word : split(line, ' ')) {
      const auto is_field = [&](const Entry& entry) { return entry.field.name == word; };
      const bool field = std::ranges::any_of(entries_, is_field);
      text += (text.empty() ? "" : " ") + (field ? workload::option_name(word) : word);
    }
    wrong.add(text);
  }
}

}  // namespace park::cli
