#include "park/core/outside_fields.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace park {
namespace {

constexpr std::string_view kListOf = "list of ";

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : "|") + word;
  return all;
}

/// Reads a value as T and gives back how a config would write it.
template <class T>
Value normal(const Value& v, const FieldDoc& doc, const std::string& path, Violations& bad) {
  T out{};
  config_detail::read(v, out, doc, path, bad);
  return config_detail::write(out);
}

Value read_value(const Value&, const FieldInfo&, std::string_view type, const std::string& path,
                 Violations&);

Value read_list(const Value& v, const FieldInfo& field, std::string_view of,
                const std::string& path, Violations& bad) {
  Value list{Value::Kind::list, {}, {}, {}};
  if (!config_detail::check_list(v, path, bad)) return list;
  for (std::size_t i = 0; i < v.items.size(); ++i)
    list.items.push_back(
        read_value(v.items[i], field, of, config_detail::element_path(path, i), bad));
  return list;
}

/// Every field of a call, by its default where it is not given.
Value read_all(std::string_view name, const Value& text, const std::vector<FieldInfo>& fields,
               const std::string& path, Violations& bad) {
  struct Target {
    const FieldInfo* field;
    Value value;
  };
  std::vector<Target> targets;
  for (const FieldInfo& f : fields)
    targets.push_back({&f, read_value(parse_text(f.default_text), f, f.type, path, bad)});
  std::vector<config_detail::FieldRef> refs;
  for (Target& target : targets)
    refs.push_back({target.field->name,
                    {},
                    &target,
                    [](const Value& v, void* to, const FieldDoc&, const std::string& where,
                       Violations& wrong) {
                      auto& t = *static_cast<Target*>(to);
                      t.value = read_value(v, *t.field, t.field->type, where, wrong);
                    }});
  static_cast<void>(config_detail::read_fields(text, refs, path, bad));
  Value all{Value::Kind::call, std::string(name), {}, {}};
  for (Target& target : targets) {
    all.keys.push_back(target.field->name);
    all.items.push_back(std::move(target.value));
  }
  return all;
}

Value defaults(std::string_view name, const std::vector<FieldInfo>& fields) {
  Violations none;
  return read_all(name, {Value::Kind::call, std::string(name), {}, {}}, fields, "", none);
}

Value read_value(const Value& v, const FieldInfo& field, std::string_view type,
                 const std::string& path, Violations& bad) {
  if (type.starts_with(kListOf)) return read_list(v, field, type.substr(kListOf.size()), path, bad);
  const std::string choices = joined(field.choices);
  const FieldDoc doc{.min = field.min,
                     .max = field.max,
                     .choices = choices,
                     .open_min = field.open_min,
                     .open_max = field.open_max};
  if (type == "bool") return normal<bool>(v, doc, path, bad);
  if (type == "integer") return normal<std::int64_t>(v, doc, path, bad);
  if (type == "number") return normal<double>(v, doc, path, bad);
  if (type == "text") return normal<std::string>(v, doc, path, bad);
  if (type == "value") return v;
  const std::string_view name = type.substr(0, type.find('('));
  if (!config_detail::check_call(v, name, path, bad)) return v;
  return config_detail::difference(read_all(name, v, field.fields, path, bad),
                                   defaults(name, field.fields));
}

bool is_type(std::string_view type) {
  while (type.starts_with(kListOf)) type.remove_prefix(kListOf.size());
  return type == "bool" || type == "integer" || type == "number" || type == "text" ||
         type == "value" || (type.size() > 5 && type.ends_with("(...)"));
}

/// Whether it reads back as a key of a text.
bool is_bare_word(const std::string& name) {
  try {
    const Value v = parse_text(name);
    return v.kind == Value::Kind::bare && v.text == name;
  } catch (const Error&) {
    return false;
  }
}

void check_default(const FieldInfo& field, const std::string& path, Violations& bad) {
  try {
    static_cast<void>(read_value(parse_text(field.default_text), field, field.type, path, bad));
  } catch (const Error& e) {
    bad.add(path + ": its default: " + e.what());
  }
}

}  // namespace

Value read_outside_fields(std::string_view name, const Value& text,
                          const std::vector<FieldInfo>& fields) {
  Violations bad;
  Value all = read_all(name, text, fields, "", bad);
  bad.throw_if_any(Errc::invalid_config);
  return config_detail::difference(std::move(all), defaults(name, fields));
}

void check_outside_fields(std::string_view where, const std::vector<FieldInfo>& fields) {
  Violations bad;
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) {
    const std::string path = std::string(where) + ": field '" + field.name + "'";
    if (!is_bare_word(field.name)) bad.add(path + " has a name that is no bare word");
    if (std::ranges::find(names, field.name) != names.end()) bad.add(path + " occurs twice");
    names.push_back(field.name);
    if (!is_type(field.type)) {
      bad.add(path + " has the type '" + field.type +
              "'; allowed are bool, integer, number, text, value, NAME(...) and lists of these");
      continue;
    }
    if (!field.fields.empty()) check_outside_fields(path, field.fields);
    check_default(field, path, bad);
  }
  bad.throw_if_any(Errc::invalid_config);
}

}  // namespace park
