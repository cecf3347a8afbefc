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

}  // namespace park::agents
