// Columns of rows. A fixed column holds rows * element bytes; a ragged one holds the elements of
// all rows of its group, and offsets_ of the group says where each row begins. Rows are appended,
// their groups resized while they are the last, then filled; grow_fixed and grow_group are the only
// places that allocate. Environments write rows, Pool and Live gather them, policies and codecs
// read them.
#include "park/core/batch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace park {
namespace {

std::int32_t find_group(const Record& record, std::string_view name) {
  const auto it = std::ranges::find(record.groups, name, &Group::name);
  if (it == record.groups.end())
    throw Error(Errc::invalid_space, "no group '" + std::string(name) + "'");
  return static_cast<std::int32_t>(it - record.groups.begin());
}

/// Bytes of so many elements. Throws Error{capacity} where no memory has as many.
std::size_t bytes_of(std::size_t elements, std::size_t element) {
  const std::size_t bytes = product_or_most(elements, element);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2)
    throw Error(Errc::capacity, "a column of " + std::to_string(elements) + " elements of " +
                                    std::to_string(element) + " bytes is larger than any memory");
  return bytes;
}

void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

Batch::Batch(const Record& record)
    : record_(record), offsets_(record.groups.size(), IdVector<std::int64_t>(1, 0)) {
  fixed_capacity_ = std::numeric_limits<std::size_t>::max();
  for (const Leaf& l : record_.leaves) {
    Column c;
    c.element = l.bytes();
    if (c.element < 1 || c.element > kMostRowBytes)
      throw Error(Errc::invalid_space, "leaf '" + l.name + "': allowed are shapes of 1 to " +
                                           std::to_string(kMostRowBytes) + " bytes");
    c.group = l.group.empty() ? -1 : find_group(record_, l.group);
    if (c.group < 0) fixed_capacity_ = 0;
    columns_.push_back(std::move(c));
  }
}

void Batch::clear() noexcept {
  rows_ = 0;
  kept_.clear();
  any_kept_ = false;
  for (auto& o : offsets_) o.resize(1);
}

void Batch::pop() noexcept {
  --rows_;
  if (lazy_) kept_.pop_back();
  for (auto& o : offsets_) o.pop_back();
}

void Batch::resize(std::size_t rows) {
  while (rows_ > rows) pop();
  const std::size_t old = rows_;
  while (rows_ < rows) append();
  if (old == rows) return;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].group < 0) std::ranges::fill(bytes(c, old, rows - old), std::byte{0});
}

void Batch::append(const Batch& from, std::size_t row) {
  if (from.any_kept_ && from.kept_[row].batch)
    return append(*from.kept_[row].batch, from.kept_[row].row);
  for (std::size_t g = 0; g < offsets_.size(); ++g)
    offsets_[g].push_back(offsets_[g].back() + from.count(g, row));
  if (lazy_) kept_.emplace_back();
  if (++rows_ > fixed_capacity_) grow_fixed();
  for (std::size_t g = 0; g < offsets_.size(); ++g) grow_group(g);
  copy_row(rows_ - 1, from, row);
}

std::size_t Batch::extend(const Batch& from) {
  const std::size_t at = rows_;
  rows_ += from.rows_;
  if (lazy_) kept_.resize(rows_);
  for (std::size_t g = 0; g < offsets_.size(); ++g) {
    for (std::size_t r = 0; r < from.rows_; ++r)
      offsets_[g].push_back(offsets_[g].back() + from.count(g, r));
    grow_group(g);
  }
  if (rows_ > fixed_capacity_) grow_fixed();
  return at;
}

void Batch::fill(std::size_t at, const Batch& from) noexcept {
  if (!from.any_kept_) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      copy(bytes(c, at, from.rows_), from.bytes(c, 0, from.rows_));
    return;
  }
  for (std::size_t r = 0; r < from.rows_; ++r) {
    const Kept k = from.kept_[r].batch ? from.kept_[r] : Kept{&from, r};
    copy_row(at + r, *k.batch, k.row);
  }
}

GroupId Batch::group(std::string_view name) const { return {find_group(record_, name)}; }

std::span<std::byte> Batch::bytes(std::size_t column, std::size_t row, std::size_t n) {
  const Range r = range(column, row, n);
  return {columns_[column].base + r.begin, r.end - r.begin};
}

std::span<const std::byte> Batch::bytes(std::size_t column, std::size_t row, std::size_t n) const {
  const Range r = range(column, row, n);
  return {columns_[column].base + r.begin, r.end - r.begin};
}

void Batch::reserve(std::size_t rows, std::size_t elements) {
  for (auto& o : offsets_) o.reserve(rows + 1);
  for (std::size_t c = 0; c < columns_.size(); ++c)
    grow(c, bytes_of(columns_[c].group < 0 ? rows : elements, columns_[c].element));
  for (const Column& k : columns_)
    if (k.group < 0) fixed_capacity_ = std::max(fixed_capacity_, rows);
}

Batch::Range Batch::range(std::size_t column, std::size_t row, std::size_t n) const noexcept {
  const Column& c = columns_[column];
  if (c.group < 0) return {row * c.element, (row + n) * c.element};
  const auto& o = offsets_[static_cast<std::size_t>(c.group)];
  return {static_cast<std::size_t>(o[row]) * c.element,
          static_cast<std::size_t>(o[row + n]) * c.element};
}

std::uint32_t Batch::find_column(std::string_view name, DType dtype) const {
  const auto it = std::ranges::find(record_.leaves, name, &Leaf::name);
  if (it == record_.leaves.end())
    throw Error(Errc::invalid_space, "no field '" + std::string(name) + "'");
  if (it->dtype != dtype)
    throw Error(Errc::invalid_space, "field '" + std::string(name) + "' is " +
                                         std::string(to_text(it->dtype)) + ", not " +
                                         std::string(to_text(dtype)));
  return static_cast<std::uint32_t>(it - record_.leaves.begin());
}

void Batch::check_count(std::size_t group, std::size_t n) const {
  if (std::cmp_greater(n, record_.groups[group].capacity))
    throw Error(Errc::capacity, "group '" + record_.groups[group].name + "' exceeds its capacity");
}

void Batch::set_count(std::size_t group, std::size_t row, std::size_t n) {
  PARK_ASSERT(row + 1 == rows_ && "only the last row of a batch may change its counts");
  check_count(group, n);
  auto& o = offsets_[group];
  const std::int64_t old = o[row + 1];
  o[row + 1] = o[row] + static_cast<std::int64_t>(n);
  grow_group(group);
  if (!poisoned_ || o[row + 1] <= old) return;
  for (Column& c : columns_)
    if (c.group == static_cast<std::int32_t>(group))
      std::fill(c.base + static_cast<std::size_t>(old) * c.element,
                c.base + static_cast<std::size_t>(o[row + 1]) * c.element, poison_);
}

void Batch::copy_row(std::size_t at, const Batch& from, std::size_t row) noexcept {
  for (std::size_t c = 0; c < columns_.size(); ++c) copy(bytes(c, at, 1), from.bytes(c, row, 1));
}

void Batch::grow(std::size_t column, std::size_t need) {
  Column& c = columns_[column];
  if (need <= c.capacity) return;
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(need, 64));
  std::unique_ptr<std::byte, Free> grown(
      static_cast<std::byte*>(::operator new (size, std::align_val_t{64})));
  if (c.capacity != 0) std::memcpy(grown.get(), c.base, c.capacity);
  c.own = std::move(grown);
  c.base = c.own.get();
  c.capacity = size;
}

void Batch::grow_fixed() {
  fixed_capacity_ = std::numeric_limits<std::size_t>::max();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].group >= 0) continue;
    grow(c, bytes_of(rows_, columns_[c].element));
    fixed_capacity_ = std::min(fixed_capacity_, columns_[c].capacity / columns_[c].element);
  }
}

void Batch::grow_group(std::size_t group) {
  const auto elements = static_cast<std::size_t>(offsets_[group].back());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].group == static_cast<std::int32_t>(group))
      grow(c, bytes_of(elements, columns_[c].element));
}

void Batch::poison_row(std::size_t row) noexcept {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].group < 0) std::ranges::fill(bytes(c, row, 1), poison_);
}

}  // namespace park
