// Checks of a spec and its layout hash. Validator goes over groups, leaves, heads and the paths of
// `given`, and collects every contradiction before it throws. layout_hash covers what a network's
// shape depends on, in the order of leaves and heads. Registries validate what they are given;
// checkpoints, golden trajectories and results name the hash.
#include "park/core/space.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "park/core/categories.h"
#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/core/text.h"

namespace park {
namespace {

bool valid_name(std::string_view name) {
  const auto valid = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) ||
           std::isdigit(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  return !name.empty() && std::ranges::all_of(name, valid) && name.front() != '.' &&
         name.back() != '.';
}

bool has_group(const Record& record, std::string_view name) {
  return std::ranges::any_of(record.groups, [&](const Group& g) { return g.name == name; });
}

/// Whether a bound is a value of an i32.
bool is_i32(double bound) {
  using Limits = std::numeric_limits<std::int32_t>;
  return bound >= Limits::lowest() && bound <= Limits::max() && bound == std::floor(bound);
}

/// Values of a head whose bounds are those of an i32; 0 where they are not.
std::uint64_t values_of(const Leaf& head) {
  if (!is_i32(head.low) || !is_i32(head.high) || head.high < head.low) return 0;
  return static_cast<std::uint64_t>(head.high - head.low) + 1;
}

/// "[2,3]"
std::string shape_text(const Leaf& l) {
  std::string text;
  for (const std::int64_t d : l.shape) text += (text.empty() ? "" : ",") + std::to_string(d);
  return '[' + text + ']';
}

bool is_integer(DType t) { return t == DType::u8 || t == DType::i32 || t == DType::i64; }

class Validator {
 public:
  explicit Validator(const Spec& spec) : spec_(spec) {}

  void run() {
    if (!valid_name(spec_.name)) say("name '" + spec_.name + "' must be lower-case words");
    if (spec_.summary.empty()) say("summary must not be empty");
    if (spec_.reference.empty()) say("reference must not be empty");
    if (spec_.action.leaves.empty()) say("action needs at least one head");
    record("observation", spec_.observation);
    record("action", spec_.action);
    for (std::size_t i = 0; i < spec_.action.leaves.size(); ++i) head(i);
    std::set<std::string> seen;
    for (const Metric& m : spec_.metrics) {
      if (!valid_name(m.name) || !seen.insert(m.name).second)
        say("metric '" + m.name + "' must have a name of its own");
      if (m.unit.empty() || m.doc.empty()) say("metric '" + m.name + "' needs a unit and a doc");
    }
    violations_.throw_if_any(Errc::invalid_space);
  }

 private:
  void say(const std::string& what) { violations_.add("spec " + spec_.name + ": " + what); }

  void record(const std::string& where, const Record& r) {
    std::set<std::string> seen;
    for (const Group& g : r.groups)
      if (!valid_name(g.name) || !seen.insert(g.name).second || g.capacity < 0)
        say(where + " group '" + g.name + "' needs a name of its own and a capacity >= 0");
    seen.clear();
    for (const Leaf& l : r.leaves) {
      if (!seen.insert(l.name).second) say(where + " leaf '" + l.name + "' occurs twice");
      leaf(where + " leaf '" + l.name + "'", r, l);
    }
    row(where, r);
  }

  /// Names the first leaf that is too much.
  void row(const std::string& where, const Record& r) {
    std::size_t left = kMostRowBytes;
    for (const Leaf& l : r.leaves) {
      if (l.bytes() > left)
        return say(where + " leaf '" + l.name + "': with its shape " + shape_text(l) +
                   " a row takes more than " + std::to_string(kMostRowBytes) + " bytes");
      left -= l.bytes();
    }
  }

  void leaf(const std::string& what, const Record& r, const Leaf& l) {
    if (!valid_name(l.name)) say(what + " must be lower-case words joined by dots");
    if (!(l.low > -kInf && l.high < kInf && l.low <= l.high)) say(what + " needs finite bounds");
    if (l.unit.empty() || l.doc.empty()) say(what + " needs a unit and a doc");
    if (std::ranges::any_of(l.shape, [](std::int64_t d) { return d < 1; }))
      say(what + " has an empty shape");
    if (!l.group.empty() && !has_group(r, l.group)) say(what + " is in no group of the record");
    if (!l.index_of.empty() && (l.dtype != DType::i32 || !has_group(spec_.observation, l.index_of)))
      say(what + " must be i32 and index_of a group of the observation");
    if (l.unit == kCategory && categories(l) == 0)
      say(what +
          " has categories: it must have whole bounds, a type of whole numbers, no index_of, "
          "and at most " +
          std::to_string(kMostCategories) + " categories over its values");
  }

  void head(std::size_t i) {
    const Leaf& h = spec_.action.leaves[i];
    const std::string what = "head '" + h.name + "'";
    if (!h.group.empty()) say(what + " must not be ragged");
    if (h.dtype != DType::i32 && h.dtype != DType::f32) say(what + " must be i32 or f32");
    if (h.dtype == DType::i32 && !(is_i32(h.low) && is_i32(h.high)))
      say(what + " is i32: its bounds must be whole numbers of 32 bits");
    if (h.dtype == DType::f32 && !(h.high == 1 && (h.low == 0 || h.low == -1)))
      say(what + " is continuous: its bounds must be [0, 1] or [-1, 1]");
    if (!h.index_of.empty() && !h.given.empty()) say(what + " selects an element: no 'given'");
    const std::string path_group = given(i, h);
    mask(h, path_group);
    range(h, path_group);
  }

  /// Checks the path of `given` and returns the group that it ends in.
  std::string given(std::size_t i, const Leaf& h) {
    if (h.given.empty()) return "";
    const auto& heads = spec_.action.leaves;
    const auto first = std::ranges::find(heads, h.given[0], &Leaf::name);
    if (first - heads.begin() >= static_cast<std::ptrdiff_t>(i) || first->index_of.empty()) {
      say("head '" + h.name + "' must be given an earlier head that selects an element");
      return "";
    }
    std::string group = first->index_of;
    for (std::size_t k = 1; k < h.given.size(); ++k) {
      const Leaf* step = spec_.observation.find(h.given[k]);
      if (!step || step->group != group || step->index_of.empty() || step->width() != 1) {
        say("head '" + h.name + "': '" + h.given[k] + "' must be an index leaf of " + group);
        return "";
      }
      group = step->index_of;
    }
    return group;
  }

  void mask(const Leaf& h, const std::string& path_group) {
    const Leaf* m = spec_.observation.find("mask." + h.name);
    if (!m) return;
    const bool index = !h.index_of.empty();
    const std::size_t values = index ? 1 : values_of(h);
    if (m->dtype != DType::u8 || m->group != (index ? h.index_of : path_group) ||
        m->width() != values)
      say("mask of head '" + h.name + "' must be u8 of width " + std::to_string(values) +
          (index                ? " in group " + h.index_of
           : path_group.empty() ? ""
                                : " in group " + path_group));
    if (h.dtype != DType::i32) say("head '" + h.name + "' is continuous: it cannot have a mask");
  }

  void range(const Leaf& h, const std::string& path_group) {
    const Leaf* low = spec_.observation.find(h.name + ".min");
    const Leaf* high = spec_.observation.find(h.name + ".max");
    if (!low && !high) return;
    const auto fits = [&](const Leaf* l) {
      return l && l->dtype == DType::i32 && l->width() == 1 && l->group == path_group;
    };
    if (!fits(low) || !fits(high) || h.dtype != DType::i32 || !h.index_of.empty())
      say("range of head '" + h.name + "' must be two i32 leaves where its path ends");
    if (spec_.observation.find("mask." + h.name))
      say("head '" + h.name + "' has both a mask and a range");
  }

  const Spec& spec_;
  Violations violations_;
};

}  // namespace

std::string_view to_text(DType t) noexcept {
  constexpr std::string_view kNames[] = {"u8", "i32", "i64", "f32", "f64"};
  return kNames[static_cast<std::size_t>(t)];
}

std::size_t Leaf::width() const noexcept {
  std::size_t n = 1;
  for (const std::int64_t d : shape)
    n = product_or_most(n, d < 1 ? 0 : static_cast<std::size_t>(d));
  return n;
}

const Leaf* Record::find(std::string_view name) const noexcept {
  const auto it = std::ranges::find(leaves, name, &Leaf::name);
  return it == leaves.end() ? nullptr : &*it;
}

std::size_t Spec::metric(std::string_view metric_name) const {
  std::vector<std::string> names;
  for (const Metric& m : metrics) names.push_back(m.name);
  const auto at = std::ranges::find(names, metric_name);
  if (at == names.end()) fail_unknown("metric", metric_name, names);
  return static_cast<std::size_t>(at - names.begin());
}

std::uint64_t layout_hash(const Spec& spec) {
  std::uint64_t h = hash_text("park layout 1");
  const auto number = [&](std::uint64_t v) { h = hash_text(std::to_string(v), h); };
  for (const Record* record : {&spec.observation, &spec.action}) {
    for (const Leaf& l : record->leaves) {
      if (l.informative()) continue;
      h = hash_text(l.name, h);
      number(static_cast<std::uint64_t>(l.dtype));
      number(l.shape.size());
      for (const std::int64_t d : l.shape) number(static_cast<std::uint64_t>(d));
      h = hash_text(l.index_of, hash_text(l.group, h));
      number(l.given.size());
      for (const std::string& g : l.given) h = hash_text(g, h);
      const bool categorical = record == &spec.action && is_integer(l.dtype) &&
                               l.index_of.empty() && !spec.observation.find(l.name + ".min");
      if (categorical) number(values_of(l));
    }
    h = hash_text("|", h);
  }
  return h;
}

std::string layout_text(const Spec& spec) { return hash_digits(layout_hash(spec)); }

void validate(const Spec& spec) { Validator(spec).run(); }

}  // namespace park
