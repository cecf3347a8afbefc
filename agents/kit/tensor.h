#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>

#include "park/core/batch.h"

namespace park::agents {

/// A column of a batch as a tensor without a copy: [rows, width], or [elements of all rows, width]
/// of a group. It ends when the batch changes its rows.
[[nodiscard]] at::Tensor column_tensor(const Batch&, std::size_t column);

/// Numbers as a tensor without a copy; they must outlive it.
[[nodiscard]] at::Tensor view(std::span<const std::int64_t>);
[[nodiscard]] at::Tensor view(std::span<const std::int32_t>);
[[nodiscard]] at::Tensor view(std::span<const float>);

}  // namespace park::agents
