// The maximum-weight matching against all permutations, and what the result may depend on.
#include "park/envs/switch_scheduling/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "park/core/rng.h"

namespace park::switch_scheduling {
namespace assignment_test {

using Weights = std::vector<float>;

double best_of_all(const Weights& weight, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  double best = 0;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(weight[i * n + order[i]]);
    best = std::max(best, sum);
  } while (std::ranges::next_permutation(order).found);
  return best;
}

/// Whole numbers, many of them 0 and many alike.
Weights draw(Rng& rng, std::size_t n) {
  Weights all(n * n);
  for (float& w : all) w = rng.uniform() < 0.4 ? 0.0f : static_cast<float>(rng.below(6));
  return all;
}

TEST(Assignment, IsTheHeaviestMatching) {
  Assignment assignment;
  Rng rng(1);
  for (int k = 0; k < 600; ++k) {
    const std::size_t n = 1 + rng.below(6);
    const Weights weight = draw(rng, n);
    double sum = 0;
    std::vector<int> used(n);
    const auto outputs = assignment.solve(weight, n);
    for (std::size_t i = 0; i < n; ++i) {
      if (outputs[i] < 0) continue;
      const auto j = static_cast<std::size_t>(outputs[i]);
      EXPECT_GT(weight[i * n + j], 0) << "no edge";
      EXPECT_EQ(used[j]++, 0) << "two inputs of output " << j;
      sum += static_cast<double>(weight[i * n + j]);
    }
    ASSERT_EQ(sum, best_of_all(weight, n)) << "matrix " << k;
  }
}

TEST(Assignment, IgnoresAPowerOfTwoAndWhatWasSolvedBefore) {
  Assignment used, fresh;
  Rng rng(2);
  for (int k = 0; k < 200; ++k) {
    const std::size_t n = 2 + rng.below(9);
    Weights weight = draw(rng, n);
    for (float& w : weight) w *= static_cast<float>(rng.uniform());
    Weights scaled = weight;
    for (float& w : scaled) w *= 1.0f / 1024;
    const auto a = used.solve(weight, n), b = fresh.solve(scaled, n);
    ASSERT_TRUE(std::ranges::equal(a, b)) << "matrix " << k;
    fresh = Assignment();
  }
}

}  // namespace assignment_test
}  // namespace park::switch_scheduling
