#include "park/plugins/new_row.h"

#include <algorithm>
#include <cstring>

#include "park/core/error.h"
#include "park/plugin/rows.h"

namespace park::plugins {
namespace {

/// Whether a number of a column has an exponent of ones: it is infinite or NaN. Numbers are looked at
/// 8 bytes at a time; the sums do not reach over the upper bit of a number.
template <std::uint64_t kExponent, std::uint64_t kLowest, std::uint64_t kTop>
bool any_without_end(const std::uint8_t* bytes, std::size_t n) noexcept {
  std::uint64_t found = 0;
  std::size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    found |= (word & kExponent) + kLowest;
  }
  if (at < n) {
    std::uint32_t rest = 0;
    std::memcpy(&rest, bytes + at, 4);
    found |= (rest & kExponent) + kLowest;
  }
  return (found & kTop) != 0;
}

bool ends_with_range(const std::string& name) {
  return name.ends_with(".min") || name.ends_with(".max");
}

}  // namespace

NewRow::NewRow(const Record& record) {
  const Batch batch(record);
  ragged_ = !record.groups.empty();
  columns_.resize(record.leaves.size());
  counts_.resize(record.groups.size());
  for (const Group& g : record.groups) group_names_.push_back(g.name);
  for (std::size_t c = 0; c < record.leaves.size(); ++c) {
    const Leaf& leaf = record.leaves[c];
    names_.push_back(leaf.name);
    const Column column{c, plugin::bytes_of(batch, c), nullptr, leaf.dtype == DType::f64};
    (column.bytes.group < 0 ? fixed_ : in_groups_).push_back(column);
    if (leaf.dtype == DType::f32 || leaf.dtype == DType::f64) real_.push_back(column);
    if (leaf.dtype == DType::i32 && (!leaf.index_of.empty() || ends_with_range(leaf.name)))
      bounded_.push_back({c, batch.field<std::int32_t>(leaf.name),
                          leaf.index_of.empty() ? -1 : batch.group(leaf.index_of).id,
                          static_cast<std::int64_t>(leaf.low),
                          static_cast<std::int64_t>(leaf.high)});
  }
  theirs_ = {sizeof(ParkNewRow), columns_.data(), counts_.data()};
}

void NewRow::clear_groups() noexcept {
  std::ranges::fill(counts_, 0);
  for (const Column& c : in_groups_) columns_[c.at] = nullptr;
}

void NewRow::take_groups(Row row) const {
  for (std::size_t g = 0; g < counts_.size(); ++g)
    row.resize({static_cast<std::int32_t>(g)}, counts_[g]);
  for (const Column& c : in_groups_) copy(c, row);
}

void NewRow::copy(const Column& c, Row row) const {
  const auto to = row[c.bytes];
  if (to.empty()) return;
  if (columns_[c.at] == nullptr)
    throw Error(Errc::invalid_space, "leaf '" + name(c.at) + "': its column is NULL");
  std::memcpy(to.data(), columns_[c.at], to.size());
}

bool NewRow::finite(const Column& c, ConstRow row) noexcept {
  const auto bytes = row[c.bytes];
  if (c.is_double)
    return !any_without_end<0x7ff0000000000000u, 0x0010000000000000u, 0x8000000000000000u>(
        bytes.data(), bytes.size());
  return !any_without_end<0x7f8000007f800000u, 0x0080000000800000u, 0x8000000080000000u>(
      bytes.data(), bytes.size());
}

void NewRow::fail_not_finite(const Column& c) const {
  throw Error(Errc::not_finite, "leaf '" + name(c.at) + "': allowed are finite numbers");
}

void NewRow::check_integers(ConstRow row) const {
  for (const Bounded& b : bounded_) {
    std::int64_t high = b.high;
    if (b.index_of >= 0)
      high = std::min(high, static_cast<std::int64_t>(row.count(GroupId{b.index_of})) - 1);
    for (const std::int32_t v : row[b.values])
      if (v < b.low || v > high)
        throw Error(Errc::invalid_space, "leaf '" + name(b.at) + "' = " + std::to_string(v) +
                                             ": allowed are " + std::to_string(b.low) + " to " +
                                             std::to_string(high));
  }
}

}  // namespace park::plugins
