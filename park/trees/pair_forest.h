#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/trees/choice_figures.h"

namespace park::trees {

/// How a pairwise forest is fitted; the defaults are those of arXiv 2209.09645.
struct PairOptions {
  std::uint32_t trees = 15;
  std::size_t depth = 9;  ///< questions below each other
  std::size_t pairs = 5;  ///< that a decision gives, in both orders
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< the result does not depend on it
};

/// Which of two items of a decision is chosen, by a bagged forest (arXiv 2209.09645, 2022: the level
/// of jobs). A sample has the features of one item, then those of another, then those that are the
/// same for all items. Its label says whether the first item was chosen. Samples of both orders are
/// as many, so the classes are balanced.
class PairForest {
 public:
  /// Fits on the decisions for which `use` says so, at least one. `figures` are of `table`.
  PairForest(const LessonTable& table, const ChoiceFigures& figures, const std::vector<bool>& use,
             const PairOptions&);

  /// Sums what each item of a decision gets against every other one, in both orders. [items]
  void vote(const LessonTable& table, std::size_t begin, std::size_t end,
            std::vector<double>& votes);
  [[nodiscard]] const Forest& forest() const noexcept { return forest_; }

 private:
  void write(const LessonTable&, std::size_t first, std::size_t second, std::vector<float>&) const;

  std::vector<std::size_t> of_items_, of_all_;  // columns that differ within decisions, and others
  Forest forest_;                               // features are places in a sample
  std::vector<float> sample_;
};

/// How often the choice is one of the first one, two, three.
using FirstShares = std::array<Share, 3>;

/// The accuracy of a pairwise forest on the decisions for which `use` says so; equal votes go to the
/// earlier item.
[[nodiscard]] FirstShares accuracy(PairForest&, const LessonTable&, const ChoiceFigures&,
                                   const std::vector<bool>& use, std::size_t episodes);

}  // namespace park::trees
