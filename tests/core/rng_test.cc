#include "park/core/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace park {
namespace rng_test {

TEST(Rng, GivesTheSameBitsEverywhere) {
  Rng rng(1);
  const std::array<std::uint64_t, 3> first = {rng.bits(), rng.bits(), rng.bits()};
  Rng again(1);
  EXPECT_EQ(first, (std::array{again.bits(), again.bits(), again.bits()}));
  constexpr std::uint64_t kAtCompileTime = [] {
    Rng r(1);
    return r.bits();
  }();
  EXPECT_EQ(kAtCompileTime, first[0]);
  EXPECT_EQ(hash_text("arrivals"), hash_text("arrivals"));
  EXPECT_NE(hash_text("b", hash_text("a")), hash_text("ab"));
}

TEST(Rng, SplittingDoesNotDependOnUse) {
  Rng a(7), b(7);
  (void)b.bits();
  EXPECT_EQ(a.split("jobs").split(3).state(), b.split("jobs").split(3).state());
  std::set<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 10'000; ++i) keys.insert(a.split(i).state().key);
  EXPECT_EQ(keys.size(), 10'000u);
  EXPECT_NE(a.split("0").state(), a.split(std::uint64_t{0}).state());
}

TEST(Rng, NeighbouringSeedsAreUnrelated) {
  double both = 0;
  constexpr int kDraws = 20'000;
  for (int seed = 0; seed < kDraws; ++seed) {
    Rng a(static_cast<std::uint64_t>(seed)), b(static_cast<std::uint64_t>(seed) + 1);
    both += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  }
  EXPECT_LT(std::abs(both / kDraws), 4.0 / 12 / std::sqrt(kDraws));
}

TEST(Rng, DistributionsHaveTheirMoments) {
  constexpr int kDraws = 400'000;
  Rng rng(11);
  double uniform = 0, exponential = 0, normal = 0, square = 0, tail = 0;
  for (int i = 0; i < kDraws; ++i) {
    uniform += rng.uniform();
    exponential += rng.exponential(55);
    const double z = rng.normal();
    normal += z;
    square += z * z;
    tail += rng.pareto(1.5, 100) > 400;
  }
  const double se = 1 / std::sqrt(kDraws);
  EXPECT_NEAR(uniform / kDraws, 0.5, 4 * se / std::sqrt(12));
  EXPECT_NEAR(exponential / kDraws, 55, 4 * 55 * se);
  EXPECT_NEAR(normal / kDraws, 0, 4 * se);
  EXPECT_NEAR(square / kDraws, 1, 4 * std::sqrt(2) * se);
  EXPECT_NEAR(tail / kDraws, std::pow(0.25, 1.5), 4 * 0.33 * se);
}

TEST(Rng, BelowIsUniform) {
  constexpr int kDraws = 70'000;
  std::array<int, 7> seen{};
  Rng rng(3);
  for (int i = 0; i < kDraws; ++i) ++seen[rng.below(7)];
  double chi2 = 0;
  for (const int n : seen) chi2 += std::pow(n - kDraws / 7.0, 2) / (kDraws / 7.0);
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom, p = 0.001
}

TEST(Rng, RestoresItsState) {
  Rng rng(5);
  (void)rng.bits();
  const Rng::State state = rng.state();
  const std::uint64_t next = rng.bits();
  Rng other;
  other.restore(state);
  EXPECT_EQ(other.bits(), next);
}

TEST(Rng, ShufflesUniformly) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    std::vector<int> v = {0, 1, 2};
    Rng(seed).shuffle(std::span(v));
    first += v[0] == 2;
  }
  EXPECT_NEAR(first, 2000, 4 * std::sqrt(6000 * 2.0 / 9));
}

}  // namespace rng_test
}  // namespace park
