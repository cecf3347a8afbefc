#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"

namespace park::agents {

/// The numbers of some leaves of an observation as a matrix with one row per row of the batch, or
/// per element of a group. Every number v comes twice, as v and as sign(v) log(1 + |v|). A spec
/// does not say which quantities are uneven, and its bounds may differ between environments. Flags
/// (u8) come once. Leaves "info.*", references to elements and categories (category_lists.h) are left
/// out.
class LeafMatrix {
 public:
  /// The leaves of a group ("": those of the row) that `takes` accepts. With `parts`, which divides
  /// the width of each of them, a row of the batch gives that many rows of the matrix.
  LeafMatrix(const Record&, std::string_view group, const std::function<bool(const Leaf&)>& takes,
             std::int64_t parts = 1);

  /// Columns of the matrix.
  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  /// [n, width] f32.
  [[nodiscard]] at::Tensor of(const Batch&) const;

 private:
  struct Column {
    std::size_t number;  // of the batch
    DType dtype;
    std::int64_t from, width;  // in the matrix; numbers per row of the matrix
  };
  std::vector<Column> columns_;
  std::int64_t parts_, width_ = 0;
  GroupId group_;
};

}  // namespace park::agents
