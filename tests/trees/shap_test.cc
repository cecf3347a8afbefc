// Shapley values of trees: one of three leaves by hand, then random trees against the sum over all
// subsets of inputs.
#include "park/trees/shap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "park/core/rng.h"

namespace park::trees {
namespace shap_test {

TreeNode leaf(float value, std::uint64_t samples) {
  TreeNode n;
  n.value = value;
  n.samples = samples;
  return n;
}

TreeNode question(std::uint32_t feature, float threshold, std::uint32_t yes, std::uint32_t no) {
  TreeNode n;
  n.feature = feature;
  n.threshold = threshold;
  n.yes = yes;
  n.no = no;
  return n;
}

/// a <= 0.5: 0 (4 samples); else b <= 0.5: 8 (3), else 16 (1).
Tree three_leaves() {
  return {{question(0, 0.5f, 1, 2), leaf(0, 4), question(1, 0.5f, 3, 4), leaf(8, 3), leaf(16, 1)}};
}

Forest forest_of_trees(std::vector<Tree> trees) {
  Forest forest;
  forest.trees = std::move(trees);
  return forest;
}

TEST(Shap, ATreeOfThreeLeaves) {
  // Nothing known: (4*0 + 3*8 + 1*16) / 8 = 5. a = 1: (3*8 + 16) / 4 = 10. b = 0: 4/8*0 + 4/8*8 = 4.
  // Both: 8. So a has ((10 - 5) + (8 - 4)) / 2 = 4.5, and b has ((4 - 5) + (8 - 10)) / 2 = -1.5.
  const std::vector<float> row{1, 0};
  const Forest forest = forest_of_trees({three_leaves()});
  const Attribution a = shap(forest, row);
  EXPECT_NEAR(a.base, 5, 1e-12);
  ASSERT_EQ(a.values.size(), 2u);
  EXPECT_NEAR(a.values[0], 4.5, 1e-12);
  EXPECT_NEAR(a.values[1], -1.5, 1e-12);
  EXPECT_EQ(expected_value(three_leaves(), row, {true, false}), 10);
  EXPECT_EQ(expected_value(three_leaves(), row, {false, true}), 4);
}

TEST(Shap, AForestIsTheMeanOfItsTrees) {
  const std::vector<float> row{1, 0};
  const Forest forest = forest_of_trees({three_leaves(), {{leaf(3, 9)}}});
  const Attribution a = shap(forest, row);
  EXPECT_NEAR(a.base, 4, 1e-12);
  EXPECT_NEAR(a.values[0], 2.25, 1e-12);
  EXPECT_NEAR(a.values[1], -0.75, 1e-12);
}

/// A random tree whose questions may come back to an input.
std::uint32_t grow(Tree& tree, std::size_t depth, std::size_t inputs, Rng& rng) {
  const auto at = static_cast<std::uint32_t>(tree.nodes.size());
  tree.nodes.emplace_back();
  if (depth == 0 || rng.uniform() < 0.15) {
    tree.nodes[at] =
        leaf(static_cast<float>(rng.uniform(-2, 2)), static_cast<std::uint64_t>(rng.below(9)));
    return at;
  }
  const auto feature = static_cast<std::uint32_t>(rng.below(inputs));
  const auto threshold = static_cast<float>(rng.uniform());
  const std::uint32_t yes = grow(tree, depth - 1, inputs, rng);
  const std::uint32_t no = grow(tree, depth - 1, inputs, rng);
  tree.nodes[at] = question(feature, threshold, yes, no);
  return at;
}

/// Shapley's sum over the subsets that lack the input.
double by_definition(const Tree& tree, const std::vector<float>& row, std::size_t input) {
  const std::size_t n = row.size();
  double sum = 0;
  for (std::uint32_t subset = 0; subset < 1u << n; ++subset) {
    if ((subset >> input & 1) != 0) continue;
    std::vector<bool> known(n);
    std::size_t size = 0;
    for (std::size_t i = 0; i < n; ++i) size += (known[i] = (subset >> i & 1) != 0) ? 1 : 0;
    const double without = expected_value(tree, row, known);
    known[input] = true;
    sum += std::tgamma(static_cast<double>(size + 1)) * std::tgamma(static_cast<double>(n - size)) /
           std::tgamma(static_cast<double>(n + 1)) * (expected_value(tree, row, known) - without);
  }
  return sum;
}

TEST(Shap, RandomTreesAgreeWithAllSubsets) {
  const Rng all(7);
  for (std::uint64_t t = 0; t < 60; ++t) {
    Rng rng = all.split(t);
    const std::size_t inputs = 1 + rng.below(8);
    Forest forest;
    forest.trees.emplace_back();
    grow(forest.trees[0], 7, inputs, rng);
    std::vector<float> row;
    for (std::size_t i = 0; i < inputs; ++i) row.push_back(static_cast<float>(rng.uniform()));
    const Attribution a = shap(forest, row);
    double sum = a.base;
    for (std::size_t i = 0; i < inputs; ++i) {
      EXPECT_NEAR(a.values[i], by_definition(forest.trees[0], row, i), 1e-9) << t << ' ' << i;
      sum += a.values[i];
    }
    EXPECT_NEAR(sum, static_cast<double>(forest(row.data())), 1e-6) << t;
  }
}

}  // namespace shap_test
}  // namespace park::trees
