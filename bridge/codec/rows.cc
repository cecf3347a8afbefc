// Rows as messages: the counts of every group, then each column's bytes as they lie in memory.
// Reading checks counts and sizes against the record before it copies, and check_values compares
// every value with its bounds, without a branch per value. Clients and services call it for
// observations and actions.
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
#include "park/core/text.h"

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

/// Appends rows with the counts of the message; their values are unspecified.
void append_rows(wire::Rows::Reader from, std::size_t rows, Batch& into) {
  const Record& record = into.record();
  const auto counts = from.getCounts();
  if (counts.size() != record.groups.size())
    malformed_rows("rows: " + std::to_string(counts.size()) + " lists of counts, the record has " +
                   std::to_string(record.groups.size()) + " groups");
  for (std::uint32_t g = 0; g < counts.size(); ++g)
    if (counts[g].size() != rows * kCountBytes)
      malformed_rows(record.groups[g].name + ": the counts of " + std::to_string(rows) +
                     " rows do not have " + std::to_string(counts[g].size()) + " bytes");
  for (std::size_t r = 0; r < rows; ++r) {
    const Row row = into.append();
    for (std::uint32_t g = 0; g < counts.size(); ++g) {
      const std::uint32_t n = count_at(counts[g], r);
      if (n > record.groups[g].capacity)
        malformed_rows(record.groups[g].name + ": " + std::to_string(n) + " elements in row " +
                       std::to_string(r) + ", at most " +
                       std::to_string(record.groups[g].capacity) + " are allowed");
      row.resize(group_id(g), n);
    }
  }
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
  switch (leaf.dtype) {
    case DType::u8:
      return within<std::uint8_t>(bytes, leaf);
    case DType::i32:
      return within<std::int32_t>(bytes, leaf);
    case DType::i64:
      return within<std::int64_t>(bytes, leaf);
    case DType::f32:
      return within<float>(bytes, leaf);
    case DType::f64:
      return within<double>(bytes, leaf);
  }
  return false;
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
    auto of = columns.init(c, static_cast<std::uint32_t>(bytes.size()));
    if (!bytes.empty()) std::memcpy(of.begin(), bytes.data(), bytes.size());
  }
}

void read(wire::Rows::Reader from, std::size_t most_rows, Batch& into) {
  const std::size_t rows = from.getCount();
  if (rows > most_rows)
    throw Failed(Code::TOO_MUCH, "rows: " + std::to_string(rows) + ", at most " +
                                     std::to_string(most_rows) + " are allowed");
  const Record& record = into.record();
  const auto columns = from.getColumns();
  if (columns.size() != record.leaves.size())
    malformed_rows("rows: " + std::to_string(columns.size()) + " columns, the record has " +
                   std::to_string(record.leaves.size()) + " leaves");
  into.clear();
  append_rows(from, rows, into);
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    const std::span<std::byte> bytes = into.bytes(c, 0, rows);
    if (columns[c].size() != bytes.size())
      malformed_rows(record.leaves[c].name + ": " + std::to_string(columns[c].size()) +
                     " bytes, these rows have " + std::to_string(bytes.size()));
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

}  // namespace park::bridge
