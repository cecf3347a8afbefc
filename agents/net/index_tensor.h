#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace park::agents {

/// Numbers of rows as a tensor of its own.
[[nodiscard]] inline at::Tensor index_tensor(const std::vector<std::int64_t>& rows) {
  at::Tensor t = at::empty({static_cast<std::int64_t>(rows.size())}, at::kLong);
  std::ranges::copy(rows, t.data_ptr<std::int64_t>());
  return t;
}

/// The rows of a table for those of the places that are in it.
[[nodiscard]] inline at::Tensor rows_of(const at::Tensor& table,
                                        const std::vector<std::int64_t>& places,
                                        const std::vector<std::int64_t>& some) {
  std::vector<std::int64_t> rows;
  rows.reserve(some.size());
  for (const std::int64_t i : some) rows.push_back(places[static_cast<std::size_t>(i)]);
  return table.index_select(0, index_tensor(rows).to(table.device()));
}

}  // namespace park::agents
