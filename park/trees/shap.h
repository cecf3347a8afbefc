#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "park/trees/tree_file.h"

namespace park::trees {

/// Why a forest gives a row the value that it gives: Shapley values of its inputs.
struct Attribution {
  double base = 0;               ///< the value where no input is known
  std::vector<double> values{};  ///< [inputs]; with the base they add up to the value
};

/// Exact Shapley values of one row [inputs] by the path-dependent TreeSHAP. Sources: Lundberg,
/// Erion and Lee, arXiv 1802.03888, 2018, algorithm 2; Lundberg et al., Nature Machine Intelligence
/// 2, 2020. Where an input is not known, a row goes both ways, in proportion to the samples below;
/// leaves must therefore say how many they have. A leaf without samples counts as one. Takes the
/// leaves times the square of the depth.
[[nodiscard]] Attribution shap(const Forest&, std::span<const float> row);

/// The value of a tree if only some inputs are known: the expectation that shap attributes. `known`
/// [inputs]
[[nodiscard]] double expected_value(const Tree&, std::span<const float> row,
                                    const std::vector<bool>& known);

}  // namespace park::trees
