#include "park/sim/distributions.h"

#include <gtest/gtest.h>

#include <array>

namespace park::sim {
namespace distributions_test {

struct Case {
  const char* name;
  Distribution from;
  double mean, second_moment;
};

TEST(Distributions, HaveTheirMoments) {
  const std::array cases{
      Case{"constant", Constant{3}, 3, 9},
      Case{"exponential", Exponential{2}, 2, 8},
      Case{"fast exponential", FastExponential{2}, 2, 8},
      Case{"geometric", Geometric(0.25), 4, 28},
      Case{"geometric, certain", Geometric(1), 1, 1},
      Case{"pareto", Pareto(6, 5), 6, 37.5},
      Case{"uniform", Uniform{1, 4}, 2.5, 7},
      Case{"bimodal", Bimodal{1, 10, 0.2}, 2.8, 20.8},
  };
  for (const Case& c : cases) {
    constexpr int kDraws = 200'000;
    Rng rng(7);
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = draw(c.from, rng);
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / kDraws, c.mean, 0.02 * c.mean) << c.name;
    EXPECT_NEAR(squares / kDraws, c.second_moment, 0.04 * c.second_moment) << c.name;
  }
}

TEST(Distributions, DrawKTakesNumberK) {
  const std::array<Distribution, 6> all{Exponential{1}, FastExponential{1}, Geometric(0.5),
                                        Pareto(1.5, 1), Uniform{0, 1},      Bimodal{1, 2, 0.5}};
  for (const Distribution& from : all) {
    Rng one(3), many(3);
    std::array<double, 16> block{};
    draw_all(from, many, block, [](double& element, double value) { element = value; });
    for (const double value : block) EXPECT_EQ(draw(from, one), value);
    EXPECT_EQ(one.state(), many.state());
    EXPECT_EQ(one.state().counter, block.size());
  }
}

}  // namespace distributions_test
}  // namespace park::sim
