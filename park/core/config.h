// A configuration is a struct whose `fields` visits every field with its name and FieldDoc. The
// templates walk over that list to parse a Value (parse_config), to print the canonical text
// (canonical) and to describe the fields (field_infos). Parsing reads all fields, then applies the
// struct's own rules, then throws one Error with all violations. The registry calls them for
// environments and policies, commands for their options.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park {

/// What a text opens on the machine that reads it. What other people may give follows from it
/// (access.h).
enum class Names {
  undeclared,  ///< a text without choices: other people may not give it
  nothing,     ///< a word, or a name that opens nothing here
  file,        ///< a file or folder, but for "" and the words of FieldDoc::bundled
  endpoint,    ///< a server, or the path of the file that `park serve` writes
};

/// The documentation and limits of a field. For a list, bounds and choices apply to its elements.
/// The range of an integer is cut to that of its type.
struct FieldDoc {
  std::string_view doc{};
  std::string_view unit = "1";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string_view choices{};  ///< of a text: "batch|poisson|file"; "": any
  std::string_view tune{};     ///< what tuning tries: "low:high:step" or "a|b|c"; "": nothing
  bool open_min = false;       ///< the minimum itself is outside
  bool open_max = false;
  Names names = Names::undeclared;  ///< of a text without choices
  std::string_view bundled{};       ///< Names::file: words for bundled data, "small|large"
};

/// A plain struct with defaults and equality that lists its fields in the order of the canonical
/// text:
///     template <class Self, class Visit>
///     static void fields(Self& self, Visit&& visit) {
///       visit("servers", self.servers, FieldDoc{.doc = "...", .min = 1, .max = 1000});
///     }
/// Types of fields: bool, std::int32_t, int64_t, uint32_t, uint64_t, double, std::string, Value (a
/// text of the grammar, unread), another config struct, and std::vector of these. A struct used as
/// a field has `static constexpr std::string_view kName`, so that its value is kName(a=1,b=2).
/// A text without choices declares what it opens (FieldDoc::names).
/// Optional: `static void check(const C&, Violations&)` for rules between fields; each line names
/// the fields it speaks of.
template <class C>
concept Config = std::default_initializable<C> && std::equality_comparable<C> && requires(C& c) {
  C::fields(c, [](std::string_view, auto&, const FieldDoc&) {});
};

/// A field for help, documentation and tuning.
struct FieldInfo {
  std::string name{}, doc{}, unit{};
  std::string type{};          ///< bool, integer, number, text, value, NAME(...), list of ...
  std::string default_text{};  ///< as in a text
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false, open_max = false;
  std::vector<std::string> choices{};
  std::string tune{};
  Names names = Names::nothing;
  std::vector<std::string> bundled{};
  std::vector<FieldInfo> fields{};  ///< fields of a nested struct
};

/// The nearest of the names by edit distance, or "" if none is near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);
/// Throws Error{unknown_name}: no such `kind`, with the nearest name or all names.
[[noreturn]] void fail_unknown(std::string_view kind, std::string_view name,
                               const std::vector<std::string>& names);

namespace config_detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
concept Number = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> || std::same_as<T, double>;

/// Reads a value into a field, or adds a violation and leaves the field unchanged.
void read(const Value&, bool&, const FieldDoc&, const std::string& path, Violations&);
template <Number T>
void read(const Value&, T&, const FieldDoc&, const std::string& path, Violations&);
void read(const Value&, std::string&, const FieldDoc&, const std::string& path, Violations&);
void read(const Value&, Value&, const FieldDoc&, const std::string& path, Violations&);
template <class T>
void read(const Value&, std::vector<T>&, const FieldDoc&, const std::string& path, Violations&);
template <Config C>
void read(const Value&, C&, const FieldDoc&, const std::string& path, Violations&);

[[nodiscard]] Value write(bool);
template <Number T>
[[nodiscard]] Value write(T);
[[nodiscard]] Value write(const std::string&);
[[nodiscard]] Value write(const Value&);
template <class T>
[[nodiscard]] Value write(const std::vector<T>&);
template <Config C>
[[nodiscard]] Value write(const C&);

/// A field without its type.
struct FieldRef {
  std::string name;
  FieldDoc doc;
  void* value;
  void (*read)(const Value&, void* value, const FieldDoc&, const std::string& path, Violations&);
};
/// Reads the fields of a call and names those that are wrong.
std::vector<std::string> read_fields(const Value&, const std::vector<FieldRef>&,
                                     const std::string& path, Violations&);
/// Adds the lines of a rule, except those about a field that is wrong anyway.
void add_rules(const Violations& rules, const std::vector<std::string>& wrong,
               const std::string& path, Violations&);
bool check_list(const Value&, const std::string& path, Violations&);
bool check_call(const Value&, std::string_view name, const std::string& path, Violations&);
[[nodiscard]] std::string element_path(const std::string& path, std::size_t i);
/// The fields of `value` that differ from those of `standard`.
[[nodiscard]] Value difference(Value value, const Value& standard);
void describe_field(FieldInfo&, std::string_view name, const FieldDoc&, const Value& value);

template <class T>
void read_erased(const Value& v, void* value, const FieldDoc& doc, const std::string& path,
                 Violations& bad) {
  read(v, *static_cast<T*>(value), doc, path, bad);
}

template <Config C>
void read_config(const Value& v, C& c, const std::string& path, Violations& bad) {
  std::vector<FieldRef> refs;
  C::fields(c, [&]<class T>(std::string_view name, T& field, const FieldDoc& doc) {
    refs.push_back({std::string(name), doc, &field, &read_erased<T>});
  });
  const std::vector<std::string> wrong = read_fields(v, refs, path, bad);
  if constexpr (requires(Violations & rules) { C::check(c, rules); }) {
    Violations rules;
    C::check(std::as_const(c), rules);
    add_rules(rules, wrong, path, bad);
  }
}

template <Config C>
[[nodiscard]] Value write_fields(std::string_view name, const C& c) {
  Value v{Value::Kind::call, std::string(name), {}, {}};
  C::fields(c, [&](std::string_view key, const auto& field, const FieldDoc&) {
    v.keys.emplace_back(key);
    v.items.push_back(write(field));
  });
  return v;
}

template <class T>
void read(const Value& v, std::vector<T>& out, const FieldDoc& doc, const std::string& path,
          Violations& bad) {
  if (!check_list(v, path, bad)) return;
  const std::size_t before = bad.size();
  std::vector<T> list;
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    T element{};
    read(v.items[i], element, doc, element_path(path, i), bad);
    list.push_back(std::move(element));
  }
  if (bad.size() == before) out = std::move(list);
}

template <Config C>
void read(const Value& v, C& out, const FieldDoc&, const std::string& path, Violations& bad) {
  if (!check_call(v, C::kName, path, bad)) return;
  const std::size_t before = bad.size();
  C c;
  read_config(v, c, path, bad);
  if (bad.size() == before) out = std::move(c);
}

template <class T>
Value write(const std::vector<T>& list) {
  Value v{Value::Kind::list, {}, {}, {}};
  for (const T& element : list) v.items.push_back(write(element));
  return v;
}

template <Config C>
Value write(const C& c) {
  return difference(write_fields(C::kName, c), write_fields(C::kName, C{}));
}

template <class T>
void describe_type(FieldInfo&);

template <Config C>
std::vector<FieldInfo> describe() {
  std::vector<FieldInfo> all;
  const C standard;
  C::fields(standard, [&]<class T>(std::string_view name, const T& field, const FieldDoc& doc) {
    describe_field(all.emplace_back(), name, doc, write(field));
    describe_type<std::remove_const_t<T>>(all.back());
  });
  return all;
}

/// Cuts the range to that of the type.
template <Number T>
void describe_range(FieldInfo& info) {
  if constexpr (std::integral<T>) {
    info.min = std::max(info.min, static_cast<double>(std::numeric_limits<T>::min()));
    info.max = std::min(info.max, static_cast<double>(std::numeric_limits<T>::max()));
  }
}

template <class T>
void describe_type(FieldInfo& info) {
  if constexpr (!std::same_as<T, std::string> && !std::same_as<T, Value> && !IsVector<T>::value)
    info.names = Names::nothing;
  if constexpr (IsVector<T>::value) {
    describe_type<typename T::value_type>(info);
    info.type = "list of " + info.type;
  } else if constexpr (Number<T>) {
    info.type = std::integral<T> ? "integer" : "number";
    describe_range<T>(info);
  } else if constexpr (std::same_as<T, bool>) {
    info.type = "bool";
  } else if constexpr (std::same_as<T, std::string>) {
    info.type = "text";
  } else if constexpr (std::same_as<T, Value>) {
    info.type = "value";
  } else {
    info.type = std::string(T::kName) + "(...)";
    info.fields = describe<T>();
  }
}

}  // namespace config_detail

/// Reads the fields of a text and ignores its name. Throws Error{invalid_config} with a line for
/// every violation.
template <Config C>
[[nodiscard]] C parse_config(const Value& v) {
  C c;
  Violations bad;
  config_detail::read_config(v, c, "", bad);
  bad.throw_if_any(Errc::invalid_config);
  return c;
}

/// The canonical text of a config: the fields that differ from the default, in declared order.
template <Config C>
[[nodiscard]] Value canonical(std::string_view name, const C& c) {
  return config_detail::difference(config_detail::write_fields(name, c),
                                   config_detail::write_fields(name, C{}));
}

template <Config C>
[[nodiscard]] std::vector<FieldInfo> field_infos() {
  return config_detail::describe<C>();
}

}  // namespace park
