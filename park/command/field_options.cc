#include "park/command/field_options.h"

#include <algorithm>
#include <string_view>

#include "park/command/strings.h"
#include "park/core/outside_fields.h"

namespace park::command {
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

std::string option_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

FieldOptions::FieldOptions(const std::vector<FieldInfo>& fields) {
  for (const FieldInfo& field : fields) {
    const std::string standard = plain(field.default_text);
    entries_.push_back({field, standard, standard});
  }
}

void FieldOptions::declare(Options& options) {
  for (Entry& entry : entries_) {
    options.text(option_name(entry.field.name), placeholder(entry.field), entry.text,
                 with_options(entry.field.doc));
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

Value FieldOptions::read(std::string_view name, Violations& wrong) const {
  std::vector<FieldInfo> fields;
  for (const Entry& entry : entries_) fields.push_back(entry.field);
  try {
    return read_outside_fields(name, given(), fields);
  } catch (const Error& error) {
    add(error.what(), wrong);
    return {};
  }
}

void FieldOptions::add(const std::string& lines, Violations& wrong) const {
  for (const std::string& line : split(lines, '\n')) {
    const std::string field = line.substr(0, line.find(' '));
    wrong.add(option_name(field) + with_options(line.substr(field.size())));
  }
}

std::string FieldOptions::with_options(const std::string& text) const {
  const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  std::string result;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), in_name);
    const std::string word(at, end);
    const auto is_field = [&](const Entry& entry) { return entry.field.name == word; };
    const bool field =
        word.find('_') != std::string::npos && std::ranges::any_of(entries_, is_field);
    result += field ? option_name(word) : word;
    at = end;
    if (at != text.end()) result += *at++;
  }
  return result;
}

}  // namespace park::command
