// Descriptions of the other side, read: a ParkSpec becomes a Spec, ParkFields become fields. Lists
// have bounds, pointers must be there and numbers belong to their enumerations. Whether a spec or a
// field makes sense is left to validate and check_outside_fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/space.h"
#include "park/plugin/tables.h"

namespace park::plugin {

/// The most elements of a list, and levels of nested fields: beyond them it is taken as damaged.
constexpr std::uint64_t kMostElements = 1u << 16;
constexpr int kMostNested = 16;

[[noreturn]] inline void fail_table(const std::string& what) {
  throw Error(Errc::invalid_space, what);
}

/// Calls f(element) for each struct of a list. Throws Error{invalid_space} where the list or one of
/// its elements is missing or has no size.
template <class T, class F>
void for_each(const T* const* list, std::uint64_t count, const char* what, F&& f) {
  if (count > kMostElements || (count > 0 && list == nullptr))
    fail_table(
        std::string(what) + ": a list of " + std::to_string(count) +
        (list ? " elements; allowed are " + std::to_string(kMostElements) : " that is NULL"));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (list[i] == nullptr || list[i]->size < sizeof(std::uint64_t))
      fail_table(std::string(what) + " " + std::to_string(i) + " is NULL or has no size");
    f(copied(*list[i]));
  }
}

[[nodiscard]] inline std::vector<std::string> texts_of(const char* const* list, std::uint64_t count,
                                                       const char* what) {
  if (count > kMostElements || (count > 0 && list == nullptr))
    fail_table(std::string(what) + ": a list of " + std::to_string(count) +
               " that is NULL or too long");
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) texts.push_back(text_of(list[i]));
  return texts;
}

namespace detail {

[[nodiscard]] inline Leaf read(const ParkLeaf& l) {
  Leaf leaf{.name = text_of(l.name)};
  const std::string what = "leaf '" + leaf.name + "'";
  if (l.dtype < PARK_U8 || l.dtype > PARK_F64)
    fail_table(what + ": there is no dtype " + std::to_string(l.dtype));
  if (l.dims > 32 || (l.dims > 0 && l.shape == nullptr))
    fail_table(what + ": a shape of " + std::to_string(l.dims) + " dimensions");
  leaf.dtype = static_cast<DType>(l.dtype);
  leaf.shape.assign(l.shape, l.shape + l.dims);
  leaf.low = l.low;
  leaf.high = l.high;
  leaf.unit = text_of(l.unit);
  leaf.doc = text_of(l.doc);
  leaf.group = text_of(l.group);
  leaf.index_of = text_of(l.index_of);
  leaf.given = texts_of(l.given, l.given_count, "given");
  return leaf;
}

[[nodiscard]] inline Record read(const ParkRecord* r, const char* what) {
  if (r == nullptr || r->size < sizeof(std::uint64_t))
    fail_table(std::string(what) + " is NULL or has no size");
  const ParkRecord theirs = copied(*r);
  Record record;
  for_each(theirs.leaves, theirs.leaf_count, "leaf",
           [&](const ParkLeaf& l) { record.leaves.push_back(read(l)); });
  for_each(theirs.groups, theirs.group_count, "group", [&](const ParkGroup& g) {
    record.groups.push_back({text_of(g.name), g.capacity});
  });
  return record;
}

[[nodiscard]] inline Names names_of(std::int32_t names) noexcept {
  return names == PARK_NAMES_NOTHING    ? Names::nothing
         : names == PARK_NAMES_FILE     ? Names::file
         : names == PARK_NAMES_ENDPOINT ? Names::endpoint
                                        : Names::undeclared;
}

}  // namespace detail

/// Throws Error{invalid_space} where the struct is damaged.
[[nodiscard]] inline Spec read_spec(const ParkSpec* s) {
  if (s == nullptr || s->size < sizeof(std::uint64_t))
    fail_table("the spec is NULL or has no size");
  const ParkSpec theirs = copied(*s);
  Spec spec;
  spec.name = text_of(theirs.name);
  spec.summary = text_of(theirs.summary);
  spec.reference = text_of(theirs.reference);
  spec.version = theirs.version;
  spec.observation = detail::read(theirs.observation, "the observation");
  spec.action = detail::read(theirs.action, "the action");
  for_each(theirs.metrics, theirs.metric_count, "metric", [&](const ParkMetric& m) {
    spec.metrics.push_back(
        {text_of(m.name), text_of(m.unit), m.lower_is_better != 0, text_of(m.doc)});
  });
  spec.traits.replayable = theirs.replayable != 0;
  spec.traits.cloneable = theirs.cloneable != 0;
  spec.traits.twin = text_of(theirs.twin);
  spec.text = text_of(theirs.text);
  return spec;
}

/// Throws Error{invalid_space} where a struct is damaged.
[[nodiscard]] inline std::vector<FieldInfo> read_fields(const ParkField* const* list,
                                                        std::uint64_t count, int nested = 0) {
  if (nested > kMostNested) fail_table("fields are nested too deeply");
  std::vector<FieldInfo> fields;
  for_each(list, count, "field", [&](const ParkField& f) {
    FieldInfo& field = fields.emplace_back();
    field.name = text_of(f.name);
    field.doc = text_of(f.doc);
    field.unit = text_of(f.unit);
    field.type = text_of(f.type);
    field.default_text = text_of(f.default_text);
    field.min = f.min;
    field.max = f.max;
    field.open_min = f.open_min != 0;
    field.open_max = f.open_max != 0;
    field.choices = texts_of(f.choices, f.choice_count, "choices");
    field.tune = text_of(f.tune);
    field.names = detail::names_of(f.names);
    field.bundled = texts_of(f.bundled, f.bundled_count, "bundled");
    field.fields = read_fields(f.fields, f.field_count, nested + 1);
  });
  return fields;
}

}  // namespace park::plugin
