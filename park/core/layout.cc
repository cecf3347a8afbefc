// A layout is built from top to bottom by the constructors of its members. Each adds itself to the
// Declarations of the layout. Where there is a received spec, it looks itself up there and compares
// type, shape, group and bounds; an Axis keeps the length that its first leaf gave. When the members
// are done, Layout::check reports all that is wrong at once. Environments declare, policies bind.
#include "park/core/layout.h"

#include <algorithm>
#include <utility>

#include "park/core/text.h"

namespace park {

struct LayoutPlace::Declarations {
  Spec declared;
  const Spec* received = nullptr;  // binds; until `check`
  Violations wrong;

  void say(const std::string& what) { wrong.add("spec " + received->name + ": " + what); }
};

namespace {

/// The position of the element with this name, or -1.
template <class T>
std::int32_t position(const std::vector<T>& all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &T::name);
  return at == all.end() ? -1 : static_cast<std::int32_t>(at - all.begin());
}

std::string place_text(Record Spec::*record) {
  return record == &Spec::observation ? "observation" : "action";
}

/// "f32[5,8] in stages, an index of jobs"; 0 is a length that is not known.
std::string form_text(const Leaf& l) {
  std::string text(to_text(l.dtype));
  for (const std::int64_t& n : l.shape)
    text += (&n == l.shape.data() ? "[" : ",") + (n == 0 ? "*" : std::to_string(n));
  if (!l.shape.empty()) text += ']';
  if (!l.group.empty()) text += " in " + l.group;
  if (!l.index_of.empty()) text += ", an index of " + l.index_of;
  return text;
}

bool same_form(const Leaf& a, const Leaf& wanted) {
  const auto fits = [](std::int64_t n, std::int64_t w) { return w == 0 || n == w; };
  return a.dtype == wanted.dtype && a.group == wanted.group && a.index_of == wanted.index_of &&
         std::ranges::equal(a.shape, wanted.shape, fits);
}

/// " like 'server.rate'", where another leaf has given the length that this one should have.
std::string like_text(const Leaf& found, const LeafDoc& doc) {
  for (std::size_t d = 0; d < std::min(doc.shape.size(), found.shape.size()); ++d) {
    const Axis* axis = doc.shape[d].axis;
    if (axis && !axis->found_in.empty() && axis->size != found.shape[d])
      return " like '" + axis->found_in + "'";
  }
  return "";
}

std::string bounds_text(const Leaf& l) {
  return "[" + number_text(l.low) + ", " + number_text(l.high) + "]";
}

/// What is wrong with the bounds of a received leaf, or "". A policy may give a head any value that
/// is declared, so those of a head are equal. Rows themselves bound indices and ranges.
std::string wrong_bounds(const Leaf& found, const Leaf& wanted, bool is_head) {
  if (wanted.informative() || !wanted.index_of.empty()) return "";
  const bool equal = found.low == wanted.low && (found.high == wanted.high || wanted.high == kInf);
  if (is_head && !equal)
    return "bounded by " + bounds_text(found) + ", not by " + bounds_text(wanted);
  if (found.low >= wanted.low && found.high <= wanted.high) return "";
  return "bounded by " + bounds_text(found) + ", not within " + bounds_text(wanted);
}

Leaf leaf_of(std::string_view name, DType dtype, const LeafDoc& doc, const std::string& group) {
  Leaf l{.name = std::string(name),
         .dtype = dtype,
         .low = doc.low,
         .high = doc.high,
         .unit = doc.unit,
         .doc = doc.doc,
         .group = group,
         .index_of = doc.index_of,
         .given = doc.given};
  for (const LeafDoc::Dimension& d : doc.shape) l.shape.push_back(d.axis ? d.axis->size : d.length);
  return l;
}

LayoutPlace::Handle handle_of(std::int32_t column, const Leaf& l, std::int32_t group) {
  return {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(l.width()), group};
}

}  // namespace

LayoutPlace::Handle LayoutPlace::leaf(std::string_view name, DType dtype,
                                      const LeafDoc& doc) const {
  Leaf wanted = leaf_of(name, dtype, doc, group_name_);
  if (!to_->received) {
    if (const std::int32_t of = position(to_->declared.observation.groups, wanted.index_of);
        of >= 0 && wanted.high == kInf) {
      const Group& group = to_->declared.observation.groups[static_cast<std::size_t>(of)];
      wanted.high = std::max(0.0, static_cast<double>(group.capacity) - 1);
    }
    std::vector<Leaf>& leaves = (to_->declared.*record_).leaves;
    leaves.push_back(std::move(wanted));
    return handle_of(static_cast<std::int32_t>(leaves.size()) - 1, leaves.back(), group_);
  }
  return bound(wanted, doc);
}

LayoutPlace::Handle LayoutPlace::bound(const Leaf& wanted, const LeafDoc& doc) const {
  const std::vector<Leaf>& leaves = (to_->received->*record_).leaves;
  const std::int32_t at = position(leaves, wanted.name);
  const std::string what = place_text(record_) + " leaf '" + wanted.name + "' is ";
  if (at < 0) {
    if (!wanted.informative()) to_->say(what + "missing");
    return {};
  }
  const Leaf& found = leaves[static_cast<std::size_t>(at)];
  if (!same_form(found, wanted)) {
    to_->say(what + form_text(found) + ", not " + form_text(wanted) + like_text(found, doc));
    return {};
  }
  const bool is_head =
      record_ == &Spec::action && !to_->received->observation.find(wanted.name + ".min");
  if (const std::string wrong = wrong_bounds(found, wanted, is_head); !wrong.empty())
    to_->say(what + wrong);
  for (std::size_t d = 0; d < doc.shape.size(); ++d)
    if (Axis* axis = doc.shape[d].axis; axis && axis->size == 0)
      *axis = {found.shape[d], found.name};
  return handle_of(at, found, group_);
}

LayoutPlace LayoutPlace::group(std::string_view name, std::int64_t capacity) const {
  LayoutPlace place = *this;
  place.group_name_ = name;
  if (to_->received) {
    place.group_ = position((to_->received->*record_).groups, name);
    if (place.group_ < 0)
      to_->say(place_text(record_) + " group '" + place.group_name_ + "' is missing");
    return place;
  }
  std::vector<Group>& groups = (to_->declared.*record_).groups;
  place.group_ = static_cast<std::int32_t>(groups.size());
  groups.push_back({place.group_name_, capacity});
  return place;
}

std::size_t LayoutMetrics::add(Metric metric) const {
  LayoutPlace::Declarations& to = *place_.to_;
  if (to.received) return static_cast<std::size_t>(position(to.received->metrics, metric.name));
  to.declared.metrics.push_back(std::move(metric));
  return to.declared.metrics.size() - 1;
}

Layout::Layout()
    : declarations_(std::make_shared<LayoutPlace::Declarations>()),
      observation(declarations_.get(), &Spec::observation),
      action(declarations_.get(), &Spec::action),
      metrics(observation) {}

Layout::Layout(const Spec& received) : Layout() { declarations_->received = &received; }

Spec Layout::spec(Spec about) const {
  about.observation = declarations_->declared.observation;
  about.action = declarations_->declared.action;
  about.metrics = declarations_->declared.metrics;
  return about;
}

void Layout::check() const {
  declarations_->received = nullptr;
  declarations_->wrong.throw_if_any(Errc::invalid_space);
}

}  // namespace park
