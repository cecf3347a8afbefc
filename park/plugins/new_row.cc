#include "park/plugins/new_row.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "park/core/error.h"
#include "park/plugin/rows.h"

namespace park::plugins {
namespace {

/// Whether a number has an exponent of ones: it is infinite or NaN. They are looked at one by one, as
/// they were written: a wider load would wait until all of its bytes have left the processor's stores.
template <class Bits, Bits kExponent>
bool any_without_end(const std::uint8_t* bytes, std::size_t n) noexcept {
  for (std::size_t at = 0; at < n; at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, bytes + at, sizeof(Bits));
    if ((bits & kExponent) == kExponent) [[unlikely]]
      return true;
  }
  return false;
}

/// Whether many numbers add up to a finite one: then all are finite, since a sum stays infinite or NaN. It
/// may be infinite without them. Four sums at a time, since the additions of one wait for each other.
template <class Real>
[[gnu::always_inline]] inline bool sum_is_finite(const std::byte* bytes, std::size_t n) noexcept {
  using Reals [[gnu::vector_size(32)]] = Real;
  constexpr std::size_t kSums = 4;
  Reals sums[kSums] = {};
  std::size_t at = 0;
  for (; at + sizeof sums <= n; at += sizeof sums)
    for (std::size_t i = 0; i < kSums; ++i) {
      Reals x;
      std::memcpy(&x, bytes + at + i * sizeof x, sizeof x);
      sums[i] += x;
    }
  Real sum = 0;
  for (; at < n; at += sizeof(Real)) {
    Real x = 0;
    std::memcpy(&x, bytes + at, sizeof x);
    sum += x;
  }
  const Reals all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (std::size_t i = 0; i < sizeof all / sizeof(Real); ++i) sum += all[i];
  return std::isfinite(sum);
}

#ifdef __x86_64__
template <class Real>
[[gnu::target("avx2")]] bool sum_is_finite_avx2(const std::byte* bytes, std::size_t n) noexcept {
  return sum_is_finite<Real>(bytes, n);
}
#endif

/// The same, with wider instructions where the processor has them.
template <class Real>
bool seems_finite(std::span<const std::byte> b) noexcept {
#ifdef __x86_64__
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return sum_is_finite_avx2<Real>(b.data(), b.size());
#endif
  return sum_is_finite<Real>(b.data(), b.size());
}

constexpr std::uint32_t kExponent32 = 0x7f800000u;
constexpr std::uint64_t kExponent64 = 0x7ff0000000000000u;

bool ends_with_range(const std::string& name) {
  return name.ends_with(".min") || name.ends_with(".max");
}

}  // namespace

RowForm::RowForm(const Record& record) : groups_(record.groups.size()) {
  const Batch batch(record);
  for (std::size_t c = 0; c < record.leaves.size(); ++c) {
    const Leaf& leaf = record.leaves[c];
    names_.push_back(leaf.name);
    const Column column{c, plugin::bytes_of(batch, c), leaf.dtype == DType::f64};
    (column.bytes.group < 0 ? fixed_ : in_groups_).push_back(column);
    if (leaf.dtype == DType::f32 || leaf.dtype == DType::f64) real_.push_back(column);
    if (leaf.dtype == DType::i32 && (!leaf.index_of.empty() || ends_with_range(leaf.name)))
      bounded_.push_back({c, batch.field<std::int32_t>(leaf.name),
                          leaf.index_of.empty() ? -1 : batch.group(leaf.index_of).id,
                          static_cast<std::int64_t>(leaf.low),
                          static_cast<std::int64_t>(leaf.high)});
  }
}

void RowForm::clear_groups(ParkNewRow& to) const noexcept {
  std::fill_n(to.counts, groups_, 0);
  for (const Column& c : in_groups_) to.columns[c.at] = nullptr;
}

void RowForm::take_groups(Row row, const ParkNewRow& from) const {
  for (std::size_t g = 0; g < groups_; ++g)
    row.resize({static_cast<std::int32_t>(g)}, from.counts[g]);
  for (const Column& c : in_groups_) copy(c, row, from);
}

void RowForm::copy(const Column& c, Row row, const ParkNewRow& from) const {
  const auto to = row[c.bytes];
  if (to.empty()) return;
  if (from.columns[c.at] == nullptr)
    throw Error(Errc::invalid_space, "leaf '" + names_[c.at] + "': its column is NULL");
  std::memcpy(to.data(), from.columns[c.at], to.size());
}

bool RowForm::finite(const Column& c, ConstRow row) noexcept {
  const auto bytes = row[c.bytes];
  if (c.is_double) return !any_without_end<std::uint64_t, kExponent64>(bytes.data(), bytes.size());
  return !any_without_end<std::uint32_t, kExponent32>(bytes.data(), bytes.size());
}

void RowForm::check_all(const Batch& rows, std::size_t first, std::size_t count) const {
  for (const Column& c : real_) {
    const auto bytes = rows.bytes(c.at, first, count);
    if (c.is_double ? seems_finite<double>(bytes) : seems_finite<float>(bytes)) continue;
    for (std::size_t r = first; r < first + count; ++r)
      if (!finite(c, rows.row(r))) fail_not_finite(c);
  }
  if (bounded_.empty()) return;
  for (std::size_t r = first; r < first + count; ++r) check_integers(rows.row(r));
}

void RowForm::fail_not_finite(const Column& c) const {
  throw Error(Errc::not_finite, "leaf '" + names_[c.at] + "': allowed are finite numbers");
}

void RowForm::check_integers(ConstRow row) const {
  for (const Bounded& b : bounded_) {
    std::int64_t high = b.high;
    if (b.index_of >= 0)
      high = std::min(high, static_cast<std::int64_t>(row.count(GroupId{b.index_of})) - 1);
    for (const std::int32_t v : row[b.values])
      if (v < b.low || v > high)
        throw Error(Errc::invalid_space, "leaf '" + names_[b.at] + "' = " + std::to_string(v) +
                                             ": allowed are " + std::to_string(b.low) + " to " +
                                             std::to_string(high));
  }
}

}  // namespace park::plugins
