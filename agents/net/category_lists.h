#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"

namespace park::agents {

/// The categories of some leaves of an observation (park/core/categories.h) as one-hot inputs, by
/// their numbers alone. Every value of a leaf has as many inputs as categories; one of them is 1.
class CategoryLeaves {
 public:
  /// As LeafMatrix: leaves of a group ("": of the row) that `takes` accepts, and `parts`.
  CategoryLeaves(const Record&, std::string_view group,
                 const std::function<bool(const Leaf&)>& takes, std::int64_t parts = 1);

  /// Inputs in all.
  [[nodiscard]] std::int64_t inputs() const noexcept { return inputs_; }
  /// Values of a row, which is how many inputs are 1.
  [[nodiscard]] std::int64_t values() const noexcept { return values_; }
  /// The number of the input that is 1, for every value of every row [n, values]. It is -1 where a
  /// value is outside its bounds: then no input is 1.
  [[nodiscard]] std::vector<std::int64_t> of(const Batch&) const;

 private:
  struct Column {
    std::size_t number;  // of the batch
    DType dtype;
    std::int64_t low, names;       // of a value
    std::int64_t at, width, base;  // first value of a row, how many; first input
  };
  std::vector<Column> columns_;
  std::int64_t parts_, inputs_ = 0, values_ = 0;
  GroupId group_;
};

/// For each of n rows, the one-hot inputs that are not 0, and how much they are.
struct CategoryLists {
  std::vector<std::int64_t> input, row;  ///< [entries]
  std::vector<float> amount;             ///< [entries]
  std::int64_t rows = 0;

  /// Adds an entry of the row; none for the input -1.
  void add(std::int64_t of_row, std::int64_t of_input, float how_much = 1) {
    if (of_input < 0) return;
    input.push_back(of_input);
    row.push_back(of_row);
    amount.push_back(how_much);
  }
};

/// What such inputs add to the first layer's sums: row `of[r]` of `rows` to those of row r. With one
/// category per row these are the weights themselves, so that nothing is multiplied nor copied.
struct CategorySums {
  at::Tensor rows, of;  ///< [*, width], [n]; undefined: nothing
};
/// The sums for a table of weights [inputs, width].
[[nodiscard]] CategorySums category_sums(const at::Tensor& table, const CategoryLists&);
/// The same as rows of their own [n, width].
[[nodiscard]] at::Tensor category_rows(const at::Tensor& table, const CategoryLists&);

}  // namespace park::agents
