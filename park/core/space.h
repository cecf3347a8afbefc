#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace park {

constexpr double kInf = std::numeric_limits<double>::infinity();

enum class DType : std::uint8_t { u8, i32, i64, f32, f64 };

[[nodiscard]] constexpr std::size_t size_of(DType t) noexcept {
  return t == DType::u8 ? 1 : t == DType::i32 || t == DType::f32 ? 4 : 8;
}
[[nodiscard]] std::string_view to_text(DType) noexcept;

/// a * b, or the largest number where the product is larger. Sizes that others tell are multiplied
/// by it and then compared, so none of them wraps round to a small one.
[[nodiscard]] constexpr std::size_t product_or_most(std::size_t a, std::size_t b) noexcept {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

/// The most bytes of a row, where every group has one element: what the largest message of Park's
/// server could carry. More elements are bounded by what carries them: a column is compared with
/// the counts of its rows before it is copied. So a capacity may be as large as its author likes.
constexpr std::size_t kMostRowBytes = std::size_t{64} << 20;

template <class T>
concept Element = std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

template <Element T>
constexpr DType dtype_of = std::same_as<T, std::uint8_t>   ? DType::u8
                           : std::same_as<T, std::int32_t> ? DType::i32
                           : std::same_as<T, std::int64_t> ? DType::i64
                           : std::same_as<T, float>        ? DType::f32
                                                           : DType::f64;

/// A ragged dimension of a record: its leaves share one count per row. The capacity validates a
/// row; it reserves nothing and does not count in row_bytes.
struct Group {
  std::string name{};
  std::int64_t capacity = 0;
};

/// One named array of a record.
struct Leaf {
  std::string name{};  ///< "stage.tasks"; "mask.HEAD", "HEAD.min", "HEAD.max" speak of a head
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape{};  ///< shape of a row; of ONE element if there is a group
  double low = -kInf, high = kInf;    ///< inclusive bounds; finite in a valid spec
  std::string unit = "1";
  std::string doc{};
  std::string group{};     ///< the group of this record that it belongs to; "": one per row
  std::string index_of{};  ///< values select an element of this group of the observation
  std::vector<std::string> given{};  ///< heads: an earlier head, then index leaves to follow

  /// Values of one element: the product of the shape. 0 where a dimension is below 1; never wraps.
  [[nodiscard]] std::size_t width() const noexcept;
  /// Bytes of one element; never wraps.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return product_or_most(width(), size_of(dtype));
  }
  /// Leaves "info.*" are for people and tools; networks and layout_hash leave them out.
  [[nodiscard]] bool informative() const noexcept { return name.starts_with("info."); }
};

/// A flat, ordered record of leaves.
struct Record {
  std::vector<Leaf> leaves{};
  std::vector<Group> groups{};

  [[nodiscard]] const Leaf* find(std::string_view name) const noexcept;
};

/// A figure per episode that users of the system report.
struct Metric {
  std::string name{}, unit{};
  bool lower_is_better = true;
  std::string doc{};
};

/// Properties that the conformance tests, the command line and the documentation read.
struct Traits {
  bool system = false;     ///< a running system asks (SystemEnv); else simulated
  bool replayable = true;  ///< the same episode and actions give the same bytes
  bool cloneable = false;  ///< Env::clone works
  std::string twin{};      ///< the other one of a simulated and a real system
};

/// The description of an environment. Generic code works from this alone.
struct Spec {
  std::string name{}, summary{}, reference{};
  int version = 1;  ///< rises when results change
  Record observation{}, action{};
  std::vector<Metric> metrics{};
  Traits traits{};
  /// Canonical text of the environment, if a Registry has made it. Oracles build their own
  /// simulator from it.
  std::string text{};

  /// The position of a metric. Throws Error{unknown_name}.
  [[nodiscard]] std::size_t metric(std::string_view metric_name) const;
};

/// A hash of the shapes that a network depends on: names, dtypes, element shapes, groups, heads,
/// and the number of values of a categorical head. Capacities and bounds are not part of it.
[[nodiscard]] std::uint64_t layout_hash(const Spec&);
/// The same in hexadecimal digits, as files and tables show it.
[[nodiscard]] std::string layout_text(const Spec&);

/// Throws Error{invalid_space} with one line per contradiction. Reasons are names, duplicates,
/// bounds, groups, references between leaves, and the shapes that masks and ranges of a head must
/// have. So is a leaf with which a row takes more than kMostRowBytes.
void validate(const Spec&);

}  // namespace park
