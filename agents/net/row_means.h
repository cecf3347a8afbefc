#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace park::agents {

/// Means [rows, width] of the elements [n, width] of each row; 0 where it has none. `row` [n] tells
/// the row of each.
[[nodiscard]] at::Tensor row_means(const at::Tensor& elements, const std::vector<std::int64_t>& row,
                                   std::size_t rows);

}  // namespace park::agents
