#include "agents/net/category_lists.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

#include "agents/net/index_tensor.h"
#include "park/core/categories.h"

namespace park::agents {
namespace {

/// The values of a column, row after row, as 64-bit numbers.
template <class Take>
void each_value(DType dtype, std::span<const std::byte> bytes, Take&& take) {
  const auto as = [&]<class T>(T) {
    const T* const v = reinterpret_cast<const T*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i)
      take(static_cast<std::int64_t>(i), static_cast<std::int64_t>(v[i]));
  };
  if (dtype == DType::u8) return as(std::uint8_t{});
  if (dtype == DType::i32) return as(std::int32_t{});
  as(std::int64_t{});
}

at::Tensor amounts(const std::vector<float>& of) {
  at::Tensor t = at::zeros({static_cast<std::int64_t>(of.size()), 1});
  std::ranges::copy(of, t.data_ptr<float>());
  return t;
}

bool one_each(const CategoryLists& lists) {
  if (lists.row.size() != static_cast<std::size_t>(lists.rows)) return false;
  for (std::size_t i = 0; i < lists.row.size(); ++i)
    if (lists.row[i] != static_cast<std::int64_t>(i) || lists.amount[i] != 1) return false;
  return true;
}

}  // namespace

CategoryLeaves::CategoryLeaves(const Record& record, std::string_view group,
                               const std::function<bool(const Leaf&)>& takes, std::int64_t parts)
    : parts_(parts) {
  if (!group.empty()) group_ = Batch(record).group(group);
  for (std::size_t c = 0; c < record.leaves.size(); ++c) {
    const Leaf& leaf = record.leaves[c];
    const std::int64_t names = categories(leaf);
    if (names == 0 || leaf.group != group || leaf.informative() || !takes(leaf)) continue;
    const auto width = static_cast<std::int64_t>(leaf.width()) / parts;
    columns_.push_back({.number = c,
                        .dtype = leaf.dtype,
                        .low = static_cast<std::int64_t>(leaf.low),
                        .names = names,
                        .at = values_,
                        .width = width,
                        .base = inputs_});
    inputs_ += width * names;
    values_ += width;
  }
}

std::vector<std::int64_t> CategoryLeaves::of(const Batch& batch) const {
  if (columns_.empty()) return {};
  const std::int64_t rows = group_.id < 0 ? static_cast<std::int64_t>(batch.rows()) * parts_
                                          : batch.offsets(group_).back() * parts_;
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows * values_));
  for (const Column& c : columns_)
    each_value(c.dtype, batch.bytes(c.number, 0, batch.rows()),
               [&](std::int64_t i, std::int64_t value) {
                 const std::int64_t row = i / c.width, k = i % c.width;
                 const bool known = value >= c.low && value < c.low + c.names;
                 all[static_cast<std::size_t>(row * values_ + c.at + k)] =
                     known ? c.base + k * c.names + value - c.low : -1;
               });
  return all;
}

at::Tensor category_rows(const at::Tensor& table, const CategoryLists& lists) {
  const at::Device device = table.device();
  const at::Tensor some = table.index_select(0, index_tensor(lists.input).to(device))
                              .mul(amounts(lists.amount).to(device));
  return at::zeros({lists.rows, table.size(1)}, table.options())
      .index_add(0, index_tensor(lists.row).to(device), some);
}

CategorySums category_sums(const at::Tensor& table, const CategoryLists& lists) {
  if (one_each(lists)) return {table, index_tensor(lists.input).to(table.device())};
  std::vector<std::int64_t> all(static_cast<std::size_t>(lists.rows));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return {category_rows(table, lists), index_tensor(all).to(table.device())};
}

}  // namespace park::agents
