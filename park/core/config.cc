// What reading and printing a configuration needs without knowing its type: messages, the nearest
// name, numbers in their ranges, the fields of a call. The templates of config.h walk over the
// fields of a struct and call these functions once per field; all violations are collected first
// and thrown together.
#include "park/core/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace park {
namespace {

bool is_word_part(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mentions(std::string_view line, std::string_view word) noexcept {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_part(line[at - 1])) &&
        (end == line.size() || !is_word_part(line[end])))
      return true;
  }
  return false;
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> all;
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    all.emplace_back(choices.substr(0, end));
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return all;
}

std::string join(const std::vector<std::string>& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : ", ") + w;
  return s;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  if (names.empty()) return "there are no fields";
  const std::string near = nearest(word, names);
  return near.empty() ? "the fields are " + join(names) : "did you mean '" + near + "'?";
}

/// Whole numbers in full where a double holds them exactly, so that ranges read well.
std::string bound_text(double v) {
  if (std::abs(v) < 1e15 && v == std::trunc(v)) return std::to_string(static_cast<long long>(v));
  return number_text(v);
}

/// A value in a message: its beginning, where it is long.
std::string shown(const Value& v) {
  constexpr std::size_t kLongest = 80;
  std::string text = to_text(v);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

template <class T>
std::string range_text(const FieldDoc& doc) {
  std::string low = bound_text(doc.min), high = bound_text(doc.max);
  bool open_min = doc.open_min, open_max = doc.open_max;
  if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    if (doc.min < static_cast<double>(Limits::min())) {
      low = std::to_string(Limits::min());
      open_min = false;
    }
    if (doc.max >= static_cast<double>(Limits::max())) {
      high = std::to_string(Limits::max());
      open_max = false;
    }
  }
  return (open_min ? "(" : "[") + low + ", " + high + (open_max ? ")" : "]");
}

template <class T>
bool inside(T v, const FieldDoc& doc) noexcept {
  const auto x = static_cast<double>(v);
  return (doc.open_min ? x > doc.min : x >= doc.min) && (doc.open_max ? x < doc.max : x <= doc.max);
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::size_t d = edit_distance(word, name); d < least) {
      least = d;
      best = name;
    }
  return best;
}

void fail_unknown(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& names) {
  const std::string near = nearest(name, names);
  std::string line = "no " + std::string(kind) + " '" + std::string(name) + "'";
  if (!near.empty()) {
    line += "; did you mean '" + near + "'?";
  } else {
    line += "; there are ";
    for (const std::string& n : names) line += (&n == names.data() ? "" : ", ") + n;
    if (names.empty()) line += "none";
  }
  throw Error(Errc::unknown_name, line);
}

namespace config_detail {

void read(const Value& v, bool& out, const FieldDoc&, const std::string& path, Violations& bad) {
  if (v.kind == Value::Kind::bare && (v.text == "true" || v.text == "false"))
    out = v.text == "true";
  else
    bad.add(path + " = " + shown(v) + " is not true or false");
}

template <Number T>
void read(const Value& v, T& out, const FieldDoc& doc, const std::string& path, Violations& bad) {
  const char* const begin = v.text.data();
  const char* const end = begin + v.text.size();
  T number{};
  const auto [at, code] = std::from_chars(begin, end, number);
  bool is_number = v.kind == Value::Kind::bare && at == end && code != std::errc::invalid_argument;
  if constexpr (std::same_as<T, double>)  // of the words, only inf
    is_number = is_number && (std::isfinite(number) || v.text == "inf" || v.text == "-inf");
  if (!is_number)
    bad.add(path + " = " + shown(v) + " is not a " +
            (std::integral<T> ? "whole number in " : "number in ") + range_text<T>(doc));
  else if (code == std::errc::result_out_of_range || !inside(number, doc))
    bad.add(path + " = " + shown(v) + " is outside " + range_text<T>(doc));
  else
    out = number;
}
template void read(const Value&, std::int32_t&, const FieldDoc&, const std::string&, Violations&);
template void read(const Value&, std::int64_t&, const FieldDoc&, const std::string&, Violations&);
template void read(const Value&, std::uint32_t&, const FieldDoc&, const std::string&, Violations&);
template void read(const Value&, std::uint64_t&, const FieldDoc&, const std::string&, Violations&);
template void read(const Value&, double&, const FieldDoc&, const std::string&, Violations&);

void read(const Value& v, std::string& out, const FieldDoc& doc, const std::string& path,
          Violations& bad) {
  if (v.kind != Value::Kind::bare && v.kind != Value::Kind::quoted) {
    bad.add(path + " = " + shown(v) + " is not a text; quote it if it is meant as one");
    return;
  }
  const std::vector<std::string> choices = split_choices(doc.choices);
  if (!choices.empty() && std::ranges::find(choices, v.text) == choices.end())
    bad.add(path + " = " + shown(v) + " is not one of " + join(choices));
  else
    out = v.text;
}

void read(const Value& v, Value& out, const FieldDoc&, const std::string&, Violations&) { out = v; }

Value write(bool v) { return {Value::Kind::bare, v ? "true" : "false", {}, {}}; }

template <Number T>
Value write(T v) {
  if constexpr (std::integral<T>)
    return {Value::Kind::bare, std::to_string(v), {}, {}};
  else
    return {Value::Kind::bare, number_text(v), {}, {}};
}
template Value write(std::int32_t);
template Value write(std::int64_t);
template Value write(std::uint32_t);
template Value write(std::uint64_t);
template Value write(double);

Value write(const std::string& v) { return {Value::Kind::bare, v, {}, {}}; }

Value write(const Value& v) { return v; }

std::vector<std::string> read_fields(const Value& v, const std::vector<FieldRef>& refs,
                                     const std::string& path, Violations& bad) {
  const std::string prefix = path.empty() ? "" : path + ".";
  std::vector<std::string> names, wrong;
  std::vector<bool> used(v.keys.size());
  for (const FieldRef& f : refs) {
    names.push_back(f.name);
    const std::size_t before = bad.size();
    std::size_t times = 0;
    for (std::size_t i = 0; i < v.keys.size(); ++i) {
      if (v.keys[i] != f.name) continue;
      used[i] = true;
      if (++times == 1) f.read(v.items[i], f.value, f.doc, prefix + f.name, bad);
    }
    if (times > 1) bad.add(prefix + f.name + " is given " + std::to_string(times) + " times");
    if (bad.size() > before) wrong.push_back(f.name);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    bad.add("unknown field '" + prefix + v.keys[i] + "'; " + suggestion(v.keys[i], names));
  }
  return wrong;
}

void add_rules(const Violations& rules, const std::vector<std::string>& wrong,
               const std::string& path, Violations& bad) {
  const std::string where = path.empty() ? "" : path + ": ";
  for (const std::string& line : rules.lines()) {
    const auto speaks_of = [&](const std::string& name) { return mentions(line, name); };
    if (std::ranges::none_of(wrong, speaks_of)) bad.add(std::string(where).append(line));
  }
}

bool check_list(const Value& v, const std::string& path, Violations& bad) {
  if (v.kind == Value::Kind::list) return true;
  bad.add(path + " = " + shown(v) + " is not a list [...]");
  return false;
}

bool check_call(const Value& v, std::string_view name, const std::string& path, Violations& bad) {
  const bool is_text = v.kind == Value::Kind::call || v.kind == Value::Kind::bare;
  if (is_text && v.text == name) return true;
  bad.add(path + " = " + shown(v) + " is not " + std::string(name) + "(...)");
  return false;
}

std::string element_path(const std::string& path, std::size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

Value difference(Value value, const Value& standard) {
  Value v{Value::Kind::call, std::move(value.text), {}, {}};
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.items[i] == standard.items[i]) continue;
    v.keys.push_back(std::move(value.keys[i]));
    v.items.push_back(std::move(value.items[i]));
  }
  return v;
}

void describe_field(FieldInfo& info, std::string_view name, const FieldDoc& doc,
                    const Value& value) {
  info.name = name;
  info.doc = doc.doc;
  info.unit = doc.unit;
  info.default_text = to_text(value);
  info.min = doc.min;
  info.max = doc.max;
  info.open_min = doc.open_min;
  info.open_max = doc.open_max;
  info.choices = split_choices(doc.choices);
  info.tune = doc.tune;
  info.names = info.choices.empty() ? doc.names : Names::nothing;
  info.bundled = split_choices(doc.bundled);
}

}  // namespace config_detail
}  // namespace park
