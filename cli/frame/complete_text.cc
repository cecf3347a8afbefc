#include "cli/frame/complete_text.h"

#include <algorithm>

namespace park::cli {
namespace {

/// An open bracket.
struct Scope {
  bool list = false;
  std::vector<std::string> given;  // fields before the one that is typed
  std::string field;               // the one whose value is typed
};

/// Reads a text up to where it ends, also in the middle.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    for (at_ = 0; at_ < text.size(); ++at_) read(text[at_]);
  }

  [[nodiscard]] TypedText typed() const {
    TypedText all;
    all.name = scopes_.empty() ? std::string(text_) : name_;
    all.begin = begin_;
    if (scopes_.empty()) return all;
    for (std::size_t i = 0; i + 1 < scopes_.size(); ++i)
      if (!scopes_[i].list) all.fields.push_back(scopes_[i].field);
    all.inside = true;
    all.list = scopes_.back().list;
    all.given = scopes_.back().given;
    all.field = scopes_.back().field;
    return all;
  }

 private:
  void read(char c) {
    if (c == '"') quoted_ = !quoted_;
    if (quoted_) return;
    if (c == '(' || c == '[') return open(c == '[');
    if (scopes_.empty()) return;
    Scope& scope = scopes_.back();
    if (c == ')' || c == ']') {
      scopes_.pop_back();
    } else if (c == ',') {
      if (!scope.field.empty()) scope.given.push_back(std::move(scope.field));
      scope.field.clear();
      begin_ = at_ + 1;
    } else if (c == '=' && !scope.list && scope.field.empty()) {
      scope.field = text_.substr(begin_, at_ - begin_);
      begin_ = at_ + 1;
    }
  }

  void open(bool list) {
    if (scopes_.empty()) name_ = text_.substr(0, at_);
    scopes_.push_back({.list = list, .given = {}, .field = {}});
    begin_ = at_ + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  bool quoted_ = false;
  std::string name_;
  std::vector<Scope> scopes_;
};

const FieldInfo* field_of(const std::vector<FieldInfo>& fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &FieldInfo::name);
  return found == fields.end() ? nullptr : &*found;
}

/// What a field may be; its default where it may be anything.
std::vector<std::string> values_of(const FieldInfo& field) {
  if (field.type == "bool") return {"true", "false"};
  std::vector<std::string> values = field.choices.empty() ? field.bundled : field.choices;
  if (values.empty() && !field.default_text.empty()) values.push_back(field.default_text);
  return values;
}

}  // namespace

TypedText read_typed(std::string_view text) { return Reader(text).typed(); }

Candidates complete_fields(
    const std::string& text,
    const std::function<std::vector<FieldInfo>(const std::string& name)>& fields_of) {
  const TypedText typed = read_typed(text);
  if (!typed.inside || typed.list) return {};
  std::vector<FieldInfo> fields;
  try {
    fields = fields_of(typed.name);
  } catch (const Error&) {  // there is no such name
    return {};
  }
  for (const std::string& name : typed.fields) {
    const FieldInfo* field = field_of(fields, name);
    if (field == nullptr) return {};
    fields = std::vector<FieldInfo>(field->fields);
  }
  Candidates all;
  const std::string before = text.substr(0, typed.begin);
  const std::string_view word = std::string_view(text).substr(typed.begin);
  if (const FieldInfo* field = field_of(fields, typed.field)) {
    add_matching(all, before, word, values_of(*field), field->doc);
  } else if (typed.field.empty()) {
    for (const FieldInfo& one : fields)
      if (std::ranges::find(typed.given, one.name) == typed.given.end())
        add_matching(all, before, word, {one.name + '='}, one.doc);
  }
  return all;
}

}  // namespace park::cli
