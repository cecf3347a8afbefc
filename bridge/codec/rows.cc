// Rows as messages: the counts of every group, then each column's bytes as they lie in memory.
// Reading checks counts and sizes against the record before any row is made, and check_values
// compares every value with its bounds, without a branch per value. Clients and services call it for
// observations and actions. check_choices is for those whom a policy is asked by.
#include "bridge/codec/rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/text.h"
#include "park/core/with_type.h"

namespace park::bridge {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

constexpr std::size_t kCountBytes = sizeof(std::uint32_t);

GroupId group_id(std::size_t g) { return {static_cast<std::int32_t>(g)}; }

[[noreturn]] void malformed_rows(const std::string& what) { throw Failed(Code::MALFORMED, what); }

std::uint32_t count_at(capnp::Data::Reader counts, std::size_t row) {
  std::uint32_t n = 0;
  std::memcpy(&n, counts.begin() + row * kCountBytes, kCountBytes);
  return n;
}

/// The columns of a group, or those without one, against its elements of all rows together.
void check_columns(const capnp::List<capnp::Data>::Reader& columns, const Batch& into,
                   GroupId group, std::size_t elements) {
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    if (into.group_of(c).id != group.id) continue;
    const std::size_t size = columns[c].size();
    const std::size_t wanted = product_or_most(elements, into.element_bytes(c));
    if (size != wanted)
      malformed_rows(into.record().leaves[c].name + ": " + std::to_string(size) +
                     " bytes, these rows have " + std::to_string(wanted));
  }
}

/// The elements that a group has in all rows together.
std::size_t count_elements(capnp::Data::Reader counts, std::size_t rows, const Group& group) {
  if (counts.size() != rows * kCountBytes)
    malformed_rows(group.name + ": the counts of " + std::to_string(rows) + " rows do not have " +
                   std::to_string(counts.size()) + " bytes");
  std::size_t all = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t n = count_at(counts, r);
    if (n > group.capacity)
      malformed_rows(group.name + ": " + std::to_string(n) + " elements in row " +
                     std::to_string(r) + ", at most " + std::to_string(group.capacity) +
                     " are allowed");
    all += n;
  }
  return all;
}

/// A list has as many members as the record; without rows it may have none.
void check_list(std::size_t size, const char* what, std::size_t wanted, const char* of_record,
                std::size_t rows) {
  if (size == wanted || (rows == 0 && size == 0)) return;
  malformed_rows("rows: " + std::to_string(size) + ' ' + what + ", the record has " +
                 std::to_string(wanted) + ' ' + of_record);
}

/// All that can be said of rows before any memory is theirs.
void check_sizes(wire::Rows::Reader from, std::size_t rows, const Batch& into) {
  const Record& record = into.record();
  const auto columns = from.getColumns();
  const auto counts = from.getCounts();
  check_list(columns.size(), "columns", record.leaves.size(), "leaves", rows);
  check_list(counts.size(), "lists of counts", record.groups.size(), "groups", rows);
  check_columns(columns, into, {}, rows);
  for (std::uint32_t g = 0; g < record.groups.size(); ++g)
    check_columns(columns, into, group_id(g),
                  counts.size() == 0 ? 0 : count_elements(counts[g], rows, record.groups[g]));
}

/// The value of T that is nearest to a bound and not beyond it.
template <Element T>
T bound_inside(double bound, bool is_low) {
  using Limits = std::numeric_limits<T>;
  if (bound <= static_cast<double>(Limits::lowest())) return Limits::lowest();
  if (bound >= static_cast<double>(Limits::max())) return Limits::max();
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(is_low ? std::ceil(bound) : std::floor(bound));
  } else {
    const T near = static_cast<T>(bound);
    const bool beyond = is_low ? near < bound : near > bound;
    return beyond ? std::nextafter(near, is_low ? Limits::max() : Limits::lowest()) : near;
  }
}

/// True where every value lies in the bounds. Flags as wide as the values, and no branch: that is
/// what compilers make a loop of vectors of.
template <Element T>
bool within(std::span<const std::byte> bytes, const Leaf& leaf) {
  using Flag = std::conditional_t<sizeof(T) == 8, std::int64_t,
                                  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int8_t>>;
  const T low = bound_inside<T>(leaf.low, true), high = bound_inside<T>(leaf.high, false);
  const T* const values = reinterpret_cast<const T*>(bytes.data());
  Flag outside = 0;
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i)
    outside |= (values[i] >= low ? Flag{0} : Flag{1}) | (values[i] <= high ? Flag{0} : Flag{1});
  return outside == 0;
}

bool within_bounds(std::span<const std::byte> bytes, const Leaf& leaf) {
  return with_type(leaf.dtype, [&]<class T>(T) { return within<T>(bytes, leaf); });
}

/// Index leaves are i32 (validate(Spec) demands it).
void check_indices(const Batch& batch, std::size_t column, const Leaf& leaf) {
  const auto offsets = batch.offsets(batch.group(leaf.index_of));
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    const std::int64_t n = offsets[r + 1] - offsets[r];
    const std::span<const std::byte> bytes = batch.bytes(column, r, 1);
    for (std::size_t i = 0; i < bytes.size() / sizeof(std::int32_t); ++i) {
      std::int32_t index = 0;
      std::memcpy(&index, bytes.data() + i * sizeof index, sizeof index);
      if (index < 0 || index >= n)
        malformed_rows(leaf.name + ": " + std::to_string(index) + " in row " + std::to_string(r) +
                       " is no index of the " + std::to_string(n) + " elements of " +
                       leaf.index_of);
    }
  }
}

}  // namespace

void write(const Batch& batch, wire::Rows::Builder to) {
  const std::size_t rows = batch.rows();
  const Record& record = batch.record();
  to.setCount(static_cast<std::uint32_t>(rows));
  auto counts = to.initCounts(static_cast<std::uint32_t>(record.groups.size()));
  for (std::uint32_t g = 0; g < counts.size(); ++g) {
    const auto offsets = batch.offsets(group_id(g));
    auto of = counts.init(g, static_cast<std::uint32_t>(rows * kCountBytes));
    for (std::size_t r = 0; r < rows; ++r) {
      const auto n = static_cast<std::uint32_t>(offsets[r + 1] - offsets[r]);
      std::memcpy(of.begin() + r * kCountBytes, &n, kCountBytes);
    }
  }
  auto columns = to.initColumns(static_cast<std::uint32_t>(record.leaves.size()));
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    const auto bytes = batch.bytes(c, 0, rows);
    auto of = columns.init(c, data_size(bytes.size(), record.leaves[c].name.c_str()));
    if (!bytes.empty()) std::memcpy(of.begin(), bytes.data(), bytes.size());
  }
}

void read(wire::Rows::Reader from, std::size_t most_rows, Batch& into) {
  const std::size_t rows = from.getCount();
  if (rows > most_rows)
    throw Failed(Code::TOO_MUCH, "rows: " + std::to_string(rows) + ", at most " +
                                     std::to_string(most_rows) + " are allowed");
  check_sizes(from, rows, into);
  into.clear();
  for (std::size_t r = 0; r < rows; ++r) into.append();
  if (rows == 0) return;
  const auto counts = from.getCounts();
  for (std::uint32_t g = 0; g < counts.size(); ++g) {
    const capnp::Data::Reader of = counts[g];
    into.set_counts(group_id(g), [of](std::size_t row) { return count_at(of, row); });
  }
  const auto columns = from.getColumns();
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    const std::span<std::byte> bytes = into.bytes(c, 0, rows);
    if (!bytes.empty()) std::memcpy(bytes.data(), columns[c].begin(), bytes.size());
  }
}

void check_values(const Batch& observation) {
  const auto& leaves = observation.record().leaves;
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    if (!within_bounds(observation.bytes(c, 0, observation.rows()), leaves[c]))
      malformed_rows(leaves[c].name + ": a value is outside of [" + number_text(leaves[c].low) +
                     ", " + number_text(leaves[c].high) + "]");
    if (!leaves[c].index_of.empty()) check_indices(observation, c, leaves[c]);
  }
}

void check_choices(const ActionSpace& space, const Batch& observation, const Record& action) {
  for (std::size_t r = 0; r < observation.rows(); ++r)
    if (const auto head = space.stuck_head(observation.row(r)))
      malformed_rows(action.leaves[*head].name + ": row " + std::to_string(r) +
                     " leaves the head no legal value, or a range beyond its bounds");
}

}  // namespace park::bridge
