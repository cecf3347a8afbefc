// A layout is a struct whose members are the leaves, heads, groups and metrics of an environment.
// Constructors of the members run from top to bottom: each declares itself, or looks itself up in a
// received spec. Environments declare; heuristics, networks and running twins call bind_layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park {

/// The length of a dimension that several leaves share, such as the number of servers. A layout
/// that declares gives it; one that binds leaves it 0 and finds it in the received leaves.
struct Axis {
  std::int64_t size = 0;
  std::string found_in{};  ///< the received leaf that gave the size
};

/// The properties of a leaf beside its place, its name and its type: as in Leaf.
struct LeafDoc {
  struct Dimension {
    Dimension(std::int64_t n) : length(n) {}
    Dimension(Axis& a) : axis(&a) {}
    std::int64_t length = 0;
    Axis* axis = nullptr;  ///< read while the layout is built
  };
  std::vector<Dimension> shape{};
  double low = 0, high = kInf;  ///< of an index leaf without `high`: the capacity of the group - 1
  std::string unit = "1";
  std::string doc{};
  std::string index_of{};
  std::vector<std::string> given{};
};

/// Where a member of a layout stands: the observation or the action, or a group of it.
class LayoutPlace {
 public:
  struct Handle {
    std::uint32_t column = std::numeric_limits<std::uint32_t>::max();  // in no row
    std::uint32_t width = 1;
    std::int32_t group = -1;
  };
  [[nodiscard]] Handle leaf(std::string_view name, DType, const LeafDoc&) const;
  [[nodiscard]] LayoutPlace group(std::string_view name, std::int64_t capacity) const;
  [[nodiscard]] GroupId group_id() const noexcept { return {group_}; }

 private:
  friend class Layout;
  friend class LayoutMetrics;
  struct Declarations;
  LayoutPlace(Declarations* to, Record Spec::*record) : to_(to), record_(record) {}
  /// The leaf of the received spec.
  [[nodiscard]] Handle bound(const Leaf& wanted, const LeafDoc&) const;

  Declarations* to_;  // of the layout, which keeps it
  Record Spec::*record_;
  std::int32_t group_ = -1;
  std::string group_name_{};
};

/// Where the metrics of a layout stand.
class LayoutMetrics {
 public:
  /// The position among the metrics; that of no element where a received spec lacks it.
  [[nodiscard]] std::size_t add(Metric) const;

 private:
  friend class Layout;
  explicit LayoutMetrics(const LayoutPlace& place) : place_(place) {}
  LayoutPlace place_;
};

/// The base of a struct whose members are the leaves, heads, groups and metrics of an environment.
/// Each is declared and looked up in one line, and the member is the handle for rows.
///     struct QueueLayout : park::Layout {
///       park::LeafOf<float> waiting{observation, "waiting", {.high = 1e9, .doc = "jobs"}};
///       park::LeafOf<std::int32_t> admit{action, "admit", {.high = 1, .doc = "1: admits"}};
///       park::MetricOf wait_s{metrics, "wait_s", {.unit = "s", .doc = "mean wait"}};
///     };
/// A default-constructed layout declares: QueueLayout().spec(about) has the members in their order.
/// bind_layout<QueueLayout>(spec) finds them by name in a spec of anyone. Members that need a
/// configuration follow members that hold it; the struct then has a constructor of its own and
/// `using Layout::Layout` for binding. The defaults of members that hold bounds are then the widest
/// ones that readers of rows reckon with, or kInf. Copies are cheap: they share what was declared.
class Layout {
 public:
  Layout();
  /// For bind_layout. The spec has to last until `check` returns.
  explicit Layout(const Spec& received);

  /// `about` with the declared observation, action and metrics.
  [[nodiscard]] Spec spec(Spec about = {}) const;
  /// Throws Error{invalid_space} with one line for each leaf and group that the received spec
  /// lacks, or has with another type, shape or group. Leaves of one axis have one length. Bounds
  /// lie within the declared ones; those of a head are equal, unless rows give its range. Metrics
  /// and leaves info.* may be missing; such a member must not be used.
  void check() const;

 private:
  std::shared_ptr<LayoutPlace::Declarations> declarations_;

 protected:
  LayoutPlace observation, action;
  LayoutMetrics metrics;
};

/// A layout whose members are handles of rows of this spec. Throws what Layout::check throws.
template <class L>
[[nodiscard]] L bind_layout(const Spec& spec) {
  L layout(spec);
  layout.check();
  return layout;
}

/// A member of a layout: a leaf of the observation, or a head of the action.
template <Element T>
struct LeafOf : Field<T> {
  LeafOf(const LayoutPlace& place, std::string_view name, const LeafDoc& doc)
      : LeafOf(place.leaf(name, dtype_of<T>, doc)) {}

 private:
  explicit LeafOf(const LayoutPlace::Handle& h) : Field<T>{h.column, h.width, h.group} {}
};

/// A member of a layout: a group, and the place of its leaves.
class GroupOf : public LayoutPlace {
 public:
  GroupOf(const LayoutPlace& place, std::string_view name, std::int64_t capacity)
      : LayoutPlace(place.group(name, capacity)) {}
  operator GroupId() const noexcept { return group_id(); }
};

/// What a layout says of a metric beside its name: as in Metric.
struct MetricDoc {
  std::string unit = "1";
  bool lower_is_better = true;
  std::string doc{};
};

/// A member of a layout: a metric. It is the position among the metrics of an episode.
class MetricOf {
 public:
  MetricOf(const LayoutMetrics& metrics, std::string name, const MetricDoc& m)
      : index_(metrics.add({std::move(name), m.unit, m.lower_is_better, m.doc})) {}
  operator std::size_t() const noexcept { return index_; }

 private:
  std::size_t index_;
};

}  // namespace park
