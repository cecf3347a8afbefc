// The inner loops of perceptrons on every set of vector instructions that the processor has: against
// sums in f64, and bit for bit against std::fma where one instruction multiplies and adds.
#include "agents/net/mlp_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/core/rng.h"

namespace park::agents {
namespace mlp_kernels_test {

constexpr std::int64_t kRows = 8;  // of a tile of PackedMlp
// A sum of n products of numbers below 4 in f32 is this close to one in f64, times n + 1.
constexpr double kRounding = 16 * 1.2e-7;

std::vector<float> numbers(std::int64_t n, Rng& rng) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<float>(4 * rng.uniform() - 2));
  return all;
}

struct Shape {
  std::int64_t rows, in, width;
};

/// All shapes that a tile can have with few and many inputs. Memory is as large as it must be, so
/// that the address sanitizer sees a number beyond it.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::int64_t rows = 1; rows <= kRows; ++rows)
    for (const std::int64_t in : {1, 5, 12, 33})
      for (const std::int64_t width : {16, 32, 48, 80}) all.push_back({rows, in, width});
  return all;
}

class MlpKernels : public ::testing::TestWithParam<std::string> {
 protected:
  MlpKernels() { use_instruction_set(GetParam()); }
  ~MlpKernels() override { use_instruction_set(instruction_sets().front()); }
};

void check_product(const Shape& s, double& worst) {
  Rng rng(static_cast<std::uint64_t>(s.rows * 1000 + s.in));
  const std::vector<float> x = numbers(s.rows * s.in, rng), w = numbers(s.in * s.width, rng),
                           bias = numbers(s.width, rng);
  std::vector<float> y(static_cast<std::size_t>(s.rows * s.width));
  product({x.data(), w.data(), bias.data(), s.in, s.in, s.width}, s.rows, y.data());
  for (std::int64_t r = 0; r < s.rows; ++r)
    for (std::int64_t o = 0; o < s.width; ++o) {
      double sum = bias[static_cast<std::size_t>(o)];
      for (std::int64_t i = 0; i < s.in; ++i)
        sum += static_cast<double>(x[static_cast<std::size_t>(r * s.in + i)]) *
               w[static_cast<std::size_t>(i * s.width + o)];
      const double error = std::abs(sum - y[static_cast<std::size_t>(r * s.width + o)]);
      worst = std::max(worst, error / static_cast<double>(s.in + 1));
    }
}

void check_outer_product(const Shape& s, double& worst) {
  Rng rng(static_cast<std::uint64_t>(s.rows * 1000 + s.in + 1));
  const std::vector<float> x = numbers(s.rows * s.in, rng), g = numbers(s.rows * s.width, rng);
  const std::vector<float> w = numbers(s.in * s.width, rng), b = numbers(s.width, rng);
  std::vector<float> weights = w, bias = b;
  add_outer_product({x.data(), s.in, s.in, g.data(), s.width, s.rows}, weights.data(), bias.data());
  const auto check = [&](double before, float after, auto input) {
    for (std::int64_t r = 0; r < s.rows; ++r) before += input(r);
    worst = std::max(worst, std::abs(before - after) / static_cast<double>(s.rows + 1));
  };
  for (std::int64_t o = 0; o < s.width; ++o) {
    const auto gradient = [&](std::int64_t r) -> double {
      return g[static_cast<std::size_t>(r * s.width + o)];
    };
    check(b[static_cast<std::size_t>(o)], bias[static_cast<std::size_t>(o)], gradient);
    for (std::int64_t i = 0; i < s.in; ++i) {
      const auto at = static_cast<std::size_t>(i * s.width + o);
      check(w[at], weights[at], [&](std::int64_t r) {
        return gradient(r) * x[static_cast<std::size_t>(r * s.in + i)];
      });
    }
  }
}

TEST_P(MlpKernels, AgreeWithSumsInDoublePrecision) {
  double worst = 0;
  for (const Shape& s : shapes()) {
    check_product(s, worst);
    check_outer_product(s, worst);
  }
  EXPECT_LT(worst, kRounding);
  EXPECT_GT(worst, 0) << "f32 rounds";
}

TEST_P(MlpKernels, RectifyForwardAndBack) {
  Rng rng(7);
  const std::vector<float> before = numbers(48, rng), gradient = numbers(48, rng);
  std::vector<float> y = before, back = gradient;
  rectify(48, 0.1f, y.data());
  rectify_back(48, 0.1f, y.data(), back.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], before[i] > 0 ? before[i] : 0.1f * before[i]);
    EXPECT_EQ(back[i], before[i] > 0 ? gradient[i] : 0.1f * gradient[i]);
  }
}

/// A row's sums do not depend on how many rows are beside it.
TEST_P(MlpKernels, ARowIsWhatItIsAlone) {
  Rng rng(3);
  const std::vector<float> x = numbers(8 * 12, rng), w = numbers(12 * 48, rng),
                           bias = numbers(48, rng);
  std::vector<float> all(8 * 48), one(48);
  product({x.data(), w.data(), bias.data(), 12, 12, 48}, 8, all.data());
  for (std::size_t r = 0; r < 8; ++r) {
    product({x.data() + 12 * r, w.data(), bias.data(), 12, 12, 48}, 1, one.data());
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<long>(48 * r))) << r;
  }
}

/// A row's sums, each step rounded once.
std::vector<float> fused(const Shape& s, const std::vector<float>& x, const std::vector<float>& w,
                         const std::vector<float>& bias) {
  std::vector<float> y;
  for (std::int64_t r = 0; r < s.rows; ++r)
    for (std::int64_t o = 0; o < s.width; ++o) {
      float sum = bias[static_cast<std::size_t>(o)];
      for (std::int64_t i = 0; i < s.in; ++i)
        sum = std::fma(x[static_cast<std::size_t>(r * s.in + i)],
                       w[static_cast<std::size_t>(i * s.width + o)], sum);
      y.push_back(sum);
    }
  return y;
}

/// Sets whose processors multiply and add in one instruction.
std::vector<std::string> fused_sets() {
  std::vector<std::string> all = instruction_sets();
  std::erase_if(all, [](const std::string& set) { return set == "sse4" || set == "scalar"; });
  return all;
}

class FusedMlpKernels : public MlpKernels {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedMlpKernels);

TEST_P(FusedMlpKernels, GiveTheBitsOfSumsThatRoundOnce) {
  for (const Shape& s : shapes()) {
    Rng rng(static_cast<std::uint64_t>(s.rows * 1000 + s.in));
    const std::vector<float> x = numbers(s.rows * s.in, rng), w = numbers(s.in * s.width, rng),
                             bias = numbers(s.width, rng);
    std::vector<float> y(static_cast<std::size_t>(s.rows * s.width));
    product({x.data(), w.data(), bias.data(), s.in, s.in, s.width}, s.rows, y.data());
    EXPECT_EQ(y, fused(s, x, w, bias));
    // x^T g: a row of inputs of the sum above is a column of x.
    std::vector<float> sums(static_cast<std::size_t>(s.in * s.width), 0), none = bias, expected;
    add_outer_product({x.data(), s.in, s.in, y.data(), s.width, s.rows}, sums.data(), none.data());
    for (std::int64_t i = 0; i < s.in; ++i)
      for (std::int64_t o = 0; o < s.width; ++o) {
        float sum = 0;
        for (std::int64_t r = 0; r < s.rows; ++r)
          sum = std::fma(x[static_cast<std::size_t>(r * s.in + i)],
                         y[static_cast<std::size_t>(r * s.width + o)], sum);
        expected.push_back(sum);
      }
    EXPECT_EQ(sums, expected);
  }
}

TEST(InstructionSets, AreNamedAndChosen) {
  const std::vector<std::string> all = instruction_sets();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(instruction_set(), all.front()) << "the best one at first";
  for (const std::string& set : all) {
    use_instruction_set(set);
    EXPECT_EQ(instruction_set(), set);
  }
  use_instruction_set(all.front());
  try {
    use_instruction_set("mmx");
    FAIL() << "there is none of that name";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("instruction set 'mmx': this processor has " + all[0]),
              0u)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, FusedMlpKernels, ::testing::ValuesIn(fused_sets()),
                         [](const auto& set) { return set.param; });
INSTANTIATE_TEST_SUITE_P(Sets, MlpKernels, ::testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return set.param; });

}  // namespace mlp_kernels_test
}  // namespace park::agents
