// Which environment of a mixture plays which sequence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "agents/algorithm/training.h"

namespace park::agents {
namespace mixture_test {

TEST(MixtureDraws, HaveTheSharesOfTheWeights) {
  const std::vector<runs::MixturePart> parts{{"a", 1}, {"b", 5}, {"c", 0.5}};
  std::vector<double> counts(parts.size());
  constexpr int kIterations = 2000;
  for (int i = 0; i < kIterations; ++i) {
    const auto drawn = mixture_draws(parts, 4, Rng(1).split(static_cast<std::uint64_t>(i)));
    ASSERT_EQ(drawn.size(), 4u);
    EXPECT_TRUE(std::ranges::is_sorted(drawn));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto n = static_cast<double>(std::ranges::count(drawn, p));
      EXPECT_LT(std::abs(n - 4 * parts[p].weight / 6.5), 1);  // up to one sequence
      counts[p] += n;
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p)
    EXPECT_NEAR(counts[p] / (4 * kIterations), parts[p].weight / 6.5, 0.01);
}

TEST(MixtureDraws, GiveASingleSequenceToAnyOne) {
  const std::vector<runs::MixturePart> parts{{"a", 1}, {"b", 1}};
  std::vector<int> counts(2);
  for (std::uint64_t i = 0; i < 100; ++i) ++counts[mixture_draws(parts, 1, Rng(i)).at(0)];
  EXPECT_GT(std::ranges::min(counts), 20);
}

}  // namespace mixture_test
}  // namespace park::agents
