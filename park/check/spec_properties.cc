// Properties of the spec and of the fields: nothing is played. FieldPlace puts a value of any field
// into the text of the environment, however deep it is, so that a bad one can be tried. Called
// through properties.cc.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "park/check/owed.h"
#include "park/core/config.h"
#include "park/core/text.h"

namespace park::check {
namespace {

/// A field within the text of its environment: puts a value where it belongs.
struct FieldPlace {
  const FieldInfo* info;
  std::string path;  ///< as messages name it: classes[0].share
  std::function<std::string(const std::string&)> text;
};

bool is_list(const FieldInfo& f) { return f.type.starts_with("list of "); }

void add_places(const std::vector<FieldInfo>& fields, const std::string& prefix,
                const std::function<std::string(const std::string&)>& wrap,
                std::vector<FieldPlace>& all) {
  for (const FieldInfo& f : fields) {
    const bool list = is_list(f);
    const auto text = [wrap, list, name = f.name](const std::string& value) {
      return wrap(name + "=" + (list ? "[" + value + "]" : value));
    };
    const std::string path = prefix + f.name + (list ? "[0]" : "");
    all.push_back({&f, path, text});
    if (f.fields.empty()) continue;
    const std::string type = list ? f.type.substr(8) : f.type;
    const std::string struct_name = type.substr(0, type.find('('));
    const auto inner = [text, struct_name](const std::string& field) {
      return text(std::string(struct_name).append("(").append(field).append(")"));
    };
    add_places(f.fields, path + ".", inner, all);
  }
}

std::vector<FieldPlace> places(const std::vector<FieldInfo>& fields, const std::string& env) {
  std::vector<FieldPlace> all;
  add_places(
      fields, "", [env](const std::string& field) { return env + "(" + field + ")"; }, all);
  return all;
}

bool is_whole(const FieldInfo& f) { return f.type.ends_with("integer"); }

/// A value just outside a bound, or "" where nothing finite is.
std::string beyond(const FieldInfo& f, double bound, bool open, double direction) {
  if (!std::isfinite(bound) || std::abs(bound) > 1e15) return "";
  if (open) return number_text(bound);
  const double v = bound + direction * (is_whole(f) ? 1.0 : std::max(1e-3, std::abs(bound) * 1e-3));
  return is_whole(f) ? std::to_string(static_cast<long long>(v)) : number_text(v);
}

std::vector<std::string> bad_values(const FieldInfo& f) {
  std::vector<std::string> bad;
  const bool number = f.type.ends_with("integer") || f.type.ends_with("number");
  if (number) {
    bad = {"word", "[]", "nan", beyond(f, f.min, f.open_min, -1), beyond(f, f.max, f.open_max, 1)};
    if (is_whole(f)) bad.emplace_back("1.5");
  } else if (f.type.ends_with("bool")) {
    bad = {"maybe", "1"};
  } else if (f.type.ends_with("text")) {
    bad = {"[]", "call(x=1)"};
    if (!f.choices.empty()) bad.emplace_back("no-such-choice");
  } else if (!f.fields.empty()) {
    bad = {"1", "no_such_struct(x=1)"};
  }
  std::erase(bad, "");
  return bad;
}

std::vector<std::string> error_lines(const Registry& registry, const std::string& text) {
  try {
    static_cast<void>(registry.canonical_env(text));
  } catch (const Error& e) {
    if (e.code() != Errc::invalid_config) return {};
    std::vector<std::string> lines{""};
    for (const char c : std::string(e.what()))
      if (c == '\n')
        lines.emplace_back();
      else
        lines.back() += c;
    return lines;
  }
  return {};
}

bool names(const std::vector<std::string>& lines, const std::string& path) {
  return std::ranges::any_of(lines,
                             [&](const std::string& l) { return l.starts_with(path + " = "); });
}

void check_documented(const std::vector<FieldInfo>& fields, const std::string& prefix,
                      Violations& bad) {
  for (const FieldInfo& f : fields) {
    if (f.doc.empty()) bad.add("field " + prefix + f.name + " has no doc");
    if (f.unit.empty()) bad.add("field " + prefix + f.name + " has no unit");
    check_documented(f.fields, prefix + f.name + ".", bad);
  }
}

bool is_categorical(const Spec& spec, const Leaf& head) {
  return head.dtype != DType::f32 && head.index_of.empty() &&
         spec.observation.find(head.name + ".min") == nullptr;
}

/// With every axis of length 1: fields of a configuration may set the lengths.
Spec without_lengths(Spec spec) {
  for (Record* record : {&spec.observation, &spec.action})
    for (Leaf& leaf : record->leaves) std::ranges::fill(leaf.shape, 1);
  return spec;
}

}  // namespace

void spec_is_valid(const Subject& s, Violations& bad) {
  if (s.spec.name != s.name() && !s.elsewhere) bad.add("the spec is named " + s.spec.name);
  if (s.spec.version < 1) bad.add("the version is below 1");
  if (s.spec.metrics.empty()) bad.add("there is no metric");
  if (!s.spec.traits.system && !s.elsewhere && !s.spec.traits.replayable)
    bad.add("simulated, and yet not replayable");
  validate(s.spec);
}

void canonical_text_round_trips(const Subject& s, Violations& bad) {
  const std::string canonical = s.registry->canonical_env(s.text);
  if (const std::string again = s.registry->canonical_env(canonical); again != canonical)
    bad.add(canonical + " becomes " + again);
  const Spec spec = s.registry->spec(canonical);
  if (layout_hash(spec) != layout_hash(s.spec)) bad.add(canonical + " has another layout");
  for (std::size_t g = 0; g < spec.observation.groups.size(); ++g)
    if (spec.observation.groups[g].capacity != s.spec.observation.groups[g].capacity)
      bad.add(canonical + " has another capacity of " + spec.observation.groups[g].name);
}

void fields_are_described(const Subject& s, Violations& bad) {
  const std::vector<FieldInfo> fields = s.registry->env_fields(s.name());
  check_documented(fields, "", bad);
  for (const FieldInfo& f : fields) {
    const std::string text = s.name() + "(" + f.name + "=" + f.default_text + ")";
    if (const std::string canonical = s.registry->canonical_env(text); canonical != s.name())
      bad.add(std::string("the default in ").append(text).append(" is none: ").append(canonical));
  }
}

void fields_refuse_what_is_outside(const Subject& s, Violations& bad) {
  const std::vector<FieldInfo> fields = s.registry->env_fields(s.name());
  std::string all_at_once;
  std::size_t wrong_fields = 0;
  for (const FieldPlace& place : places(fields, s.name())) {
    const std::vector<std::string> values = bad_values(*place.info);
    for (const std::string& v : values)
      if (!names(error_lines(*s.registry, place.text(v)), place.path))
        bad.add(place.text(v) + " is not refused by the name of the field");
    const bool top = place.path.find('.') == std::string::npos;
    if (values.empty() || !top) continue;
    const std::string text = place.text(values[0]);
    all_at_once += (wrong_fields++ == 0 ? "" : ",") +
                   text.substr(s.name().size() + 1, text.size() - s.name().size() - 2);
  }
  const std::string text = s.name() + "(" + all_at_once + ")";
  if (wrong_fields > 0 && error_lines(*s.registry, text).size() < wrong_fields)
    bad.add(text + " is not reported as " + std::to_string(wrong_fields) + " violations");
  const auto unknown = error_lines(*s.registry, s.name() + "(no_such_field=1)");
  if (unknown.size() != 1 || !unknown[0].starts_with("unknown field 'no_such_field'"))
    bad.add("an unknown field is not refused");
}

void layout_ignores_sizes(const Subject& s, Violations& bad) {
  const std::uint64_t layout = layout_hash(s.spec);
  Spec larger = s.spec;
  for (Record* r : {&larger.observation, &larger.action}) {
    for (Group& g : r->groups) g.capacity = 2 * g.capacity + 1;
    for (Leaf& l : r->leaves) {
      l.doc += "?";
      if (r == &larger.observation || !is_categorical(s.spec, l)) l.high += 5;
    }
  }
  larger.version += 1;
  if (layout_hash(larger) != layout) bad.add("capacities or bounds change the layout");
  Spec renamed = s.spec;
  renamed.observation.leaves[0].name += "_";
  if (layout_hash(renamed) == layout) bad.add("the name of a leaf does not change the layout");
  Spec wider = s.spec;
  wider.observation.leaves[0].shape.push_back(7);
  if (layout_hash(wider) == layout) bad.add("the shape of a leaf does not change the layout");
}

void twins_agree(const Subject& s, Violations& bad) {
  const std::string& twin = s.spec.traits.twin;
  const std::vector<std::string> names_of_all = s.registry->env_names();
  if (twin.empty()) return;
  if (std::ranges::find(names_of_all, twin) == names_of_all.end()) {
    bad.add("the twin '" + twin + "' is not registered");
    return;
  }
  const Spec other = s.registry->spec(twin);
  if (other.traits.twin != s.spec.name) bad.add(twin + " has another twin: " + other.traits.twin);
  if (layout_hash(without_lengths(other)) !=
      layout_hash(without_lengths(s.registry->spec(s.name()))))
    bad.add(twin + " has another layout");
}

}  // namespace park::check
