#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/trees/tree_file.h"

namespace park::trees {

/// Regression trees of a fixed table (Breiman et al., Classification and Regression Trees, 1984),
/// grown best first. The split that lowers the weighted sum of squares most comes next. With
/// targets 0 and 1 that is the Gini index, and so it is with a target of 0 or 1 for each class. The
/// result is the same on any number of threads.
class Cart {
 public:
  struct Options {
    std::size_t leaves = 32;             ///< at most
    std::size_t depth = kMostTreeDepth;  ///< questions below each other, at most
    std::size_t least_samples = 1;       ///< of a leaf
    std::uint32_t threads = 1;
  };

  /// Sorts the columns [features][samples] once for all fits; they must outlive it. REQUIRES equal
  /// lengths and finite numbers.
  Cart(const std::vector<std::vector<float>>& columns, std::uint32_t threads);

  /// What the targets are.
  enum class Kind : std::uint8_t {
    chosen,  ///< 0 or 1; leaves count both
    number,  ///< any; leaves have the weighted mean
    classes  ///< 0, 1, 2, ...; leaves have the class of most weight, the lowest of equal ones
  };
  /// A tree for targets and weights [samples]; weights must be positive. Node features are columns.
  /// Ties between splits go to the first column and the lowest threshold.
  [[nodiscard]] Tree fit(std::span<const double> targets, std::span<const double> weights, Kind,
                         const Options&) const;

 private:
  const std::vector<std::vector<float>>& columns_;
  std::size_t samples_;
  std::vector<std::vector<std::uint32_t>> sorted_;  // [features][samples]
};

/// The forest of some trees: its inputs are those columns that the trees ask about, named by
/// `features` [columns].
[[nodiscard]] Forest forest_of(std::vector<Tree>, const std::vector<Expression>& features);

}  // namespace park::trees
