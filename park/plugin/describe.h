// Descriptions as structs of the interface: a Spec becomes a ParkSpec, fields become ParkFields. The
// wrapper of a plug-in describes its environments by them, the host describes the spec that a policy
// is made for.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/space.h"
#include "park/plugin/tables.h"

namespace park::plugin {

/// Owns what the structs of a description point to.
class Memory {
 public:
  template <class T>
  [[nodiscard]] const T* keep(const T& one) {
    return reinterpret_cast<const T*>(bytes(&one, sizeof(T)));
  }
  template <class T>
  [[nodiscard]] const T* keep(const std::vector<T>& list) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a T may be a pointer
    return reinterpret_cast<const T*>(bytes(list.data(), list.size() * sizeof(T)));
  }
  [[nodiscard]] const char* keep(const std::string& text) {
    return reinterpret_cast<const char*>(bytes(text.c_str(), text.size() + 1));
  }
  [[nodiscard]] const char* const* keep(const std::vector<std::string>& texts) {
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(keep(text));
    return keep(list);
  }

 private:
  /// A copy, aligned to any type of the interface.
  [[nodiscard]] const void* bytes(const void* from, std::size_t size) {
    auto& words = blocks_.emplace_back(size / sizeof(std::uint64_t) + 1);
    if (size > 0) std::memcpy(words.data(), from, size);
    return words.data();
  }

  std::deque<std::vector<std::uint64_t>> blocks_;
};

namespace detail {

[[nodiscard]] inline const ParkLeaf* describe(const Leaf& l, Memory& memory) {
  auto leaf = sized<ParkLeaf>();
  leaf.name = memory.keep(l.name);
  leaf.dtype = static_cast<std::int32_t>(l.dtype);
  leaf.shape = memory.keep(l.shape);
  leaf.dims = l.shape.size();
  leaf.low = l.low;
  leaf.high = l.high;
  leaf.unit = memory.keep(l.unit);
  leaf.doc = memory.keep(l.doc);
  leaf.group = memory.keep(l.group);
  leaf.index_of = memory.keep(l.index_of);
  leaf.given = memory.keep(l.given);
  leaf.given_count = l.given.size();
  return memory.keep(leaf);
}

[[nodiscard]] inline const ParkGroup* describe(const Group& g, Memory& memory) {
  return memory.keep(ParkGroup{sizeof(ParkGroup), memory.keep(g.name), g.capacity});
}

[[nodiscard]] inline const ParkMetric* describe(const Metric& m, Memory& memory) {
  return memory.keep(ParkMetric{sizeof(ParkMetric), memory.keep(m.name), memory.keep(m.unit),
                                m.lower_is_better ? 1 : 0, memory.keep(m.doc)});
}

/// The structs of a list, as an array of pointers.
template <class T>
[[nodiscard]] auto describe_all(const std::vector<T>& list, Memory& memory) {
  std::vector<decltype(describe(list[0], memory))> all;
  for (const T& one : list) all.push_back(describe(one, memory));
  return memory.keep(all);
}

[[nodiscard]] inline const ParkRecord* describe(const Record& r, Memory& memory) {
  auto record = sized<ParkRecord>();
  record.leaves = describe_all(r.leaves, memory);
  record.leaf_count = r.leaves.size();
  record.groups = describe_all(r.groups, memory);
  record.group_count = r.groups.size();
  return memory.keep(record);
}

[[nodiscard]] inline std::int32_t describe(Names names) noexcept {
  return names == Names::nothing    ? PARK_NAMES_NOTHING
         : names == Names::file     ? PARK_NAMES_FILE
         : names == Names::endpoint ? PARK_NAMES_ENDPOINT
                                    : PARK_NAMES_UNDECLARED;
}

}  // namespace detail

/// The structs live as long as the memory.
[[nodiscard]] inline const ParkSpec* describe(const Spec& s, Memory& memory) {
  auto spec = sized<ParkSpec>();
  spec.name = memory.keep(s.name);
  spec.summary = memory.keep(s.summary);
  spec.reference = memory.keep(s.reference);
  spec.version = s.version;
  spec.observation = detail::describe(s.observation, memory);
  spec.action = detail::describe(s.action, memory);
  spec.metrics = detail::describe_all(s.metrics, memory);
  spec.metric_count = s.metrics.size();
  spec.replayable = s.traits.replayable ? 1 : 0;
  spec.cloneable = s.traits.cloneable ? 1 : 0;
  spec.twin = memory.keep(s.traits.twin);
  spec.text = memory.keep(s.text);
  return memory.keep(spec);
}

/// Likewise; an array of pointers.
[[nodiscard]] inline const ParkField* const* describe(const std::vector<FieldInfo>& fields,
                                                      Memory& memory) {
  std::vector<const ParkField*> all;
  for (const FieldInfo& f : fields) {
    auto field = sized<ParkField>();
    field.name = memory.keep(f.name);
    field.doc = memory.keep(f.doc);
    field.unit = memory.keep(f.unit);
    field.type = memory.keep(f.type);
    field.default_text = memory.keep(f.default_text);
    field.min = f.min;
    field.max = f.max;
    field.open_min = f.open_min ? 1 : 0;
    field.open_max = f.open_max ? 1 : 0;
    field.choices = memory.keep(f.choices);
    field.choice_count = f.choices.size();
    field.tune = memory.keep(f.tune);
    field.names = detail::describe(f.names);
    field.bundled = memory.keep(f.bundled);
    field.bundled_count = f.bundled.size();
    field.fields = describe(f.fields, memory);
    field.field_count = f.fields.size();
    all.push_back(memory.keep(field));
  }
  return memory.keep(all);
}

}  // namespace park::plugin
