// PackedMlp on every set of vector instructions that the processor has, against sums in f64. Memory is
// as large as it must be, so that the address sanitizer sees a number beyond it: what is tested is
// compiled again for this program, since the networks are compiled without sanitizers.
#include "agents/net/packed_mlp.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "park/core/rng.h"

namespace park::agents {
namespace packed_mlp_test {

using Numbers = std::vector<float>;

Numbers numbers(std::int64_t n, Rng& rng) {
  Numbers all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<float>(rng.uniform() - 0.5));
  return all;
}

/// A perceptron of one hidden layer; no width is one of whole vectors, no number of rows whole tiles.
struct Shape {
  std::int64_t rows, in, hidden, out;
};
const std::vector<Shape> kShapes = {{1, 1, 1, 1}, {7, 5, 19, 3}, {8, 16, 16, 16}, {21, 33, 47, 18}};
constexpr float kSlope = 0.1f;

struct Perceptron {
  explicit Perceptron(const Shape& s, Rng rng) : shape(s) {
    w1 = numbers(s.in * s.hidden, rng);
    b1 = numbers(s.hidden, rng);
    w2 = numbers(s.hidden * s.out, rng);
  }
  [[nodiscard]] PackedMlp packed() const {
    const auto& [rows, in, hidden, out] = shape;
    const std::vector<at::Tensor> parameters = {at::tensor(w1).reshape({in, hidden}),
                                                at::tensor(b1),
                                                at::tensor(w2).reshape({hidden, out})};
    return PackedMlp(parameters, {.slope = kSlope}, true);
  }
  /// What the hidden layer of a row sums up, before the rectifier.
  [[nodiscard]] std::vector<double> sums(const float* x) const {
    std::vector<double> all(b1.begin(), b1.end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.in); ++i)
      for (std::size_t h = 0; h < all.size(); ++h)
        all[h] += static_cast<double>(x[i]) * w1[i * all.size() + h];
    return all;
  }
  [[nodiscard]] static double rectified(double sum) { return sum > 0 ? sum : kSlope * sum; }

  Shape shape;
  Numbers w1, b1, w2;
};

class PackedMlps : public ::testing::TestWithParam<std::string> {
 protected:
  PackedMlps() { use_instruction_set(GetParam()); }
  ~PackedMlps() override { use_instruction_set(instruction_sets().front()); }
};

TEST_P(PackedMlps, ForwardAgreesWithSumsInDoublePrecision) {
  for (const Shape& s : kShapes) {
    Rng rng(static_cast<std::uint64_t>(s.in));
    const Perceptron p(s, rng.split("parameters"));
    const Numbers x = numbers(s.rows * s.in, rng);
    Numbers y(static_cast<std::size_t>(s.rows * s.out));
    p.packed().forward(x.data(), s.rows, y.data());
    for (std::int64_t r = 0; r < s.rows; ++r) {
      const std::vector<double> sums = p.sums(x.data() + r * s.in);
      for (std::int64_t o = 0; o < s.out; ++o) {
        double expected = 0;
        for (std::size_t h = 0; h < sums.size(); ++h)
          expected += Perceptron::rectified(sums[h]) *
                      p.w2[h * static_cast<std::size_t>(s.out) + static_cast<std::size_t>(o)];
        EXPECT_NEAR(y[static_cast<std::size_t>(r * s.out + o)], expected, 1e-5) << r << ' ' << o;
      }
    }
  }
}

TEST_P(PackedMlps, BackwardAgreesWithSumsInDoublePrecision) {
  for (const Shape& s : kShapes) {
    Rng rng(static_cast<std::uint64_t>(s.in));
    const Perceptron p(s, rng.split("parameters"));
    const Numbers x = numbers(s.rows * s.in, rng), gy = numbers(s.rows * s.out, rng);
    Numbers dx(x.size());
    PackedMlp mlp = p.packed();
    mlp.backward(x.data(), s.rows, gy.data(), dx.data());
    const auto hidden = static_cast<std::size_t>(s.hidden), out = static_cast<std::size_t>(s.out);
    std::vector<double> d_b1(hidden);
    for (std::int64_t r = 0; r < s.rows; ++r) {
      const std::vector<double> sums = p.sums(x.data() + r * s.in);
      std::vector<double> d_x(static_cast<std::size_t>(s.in));
      for (std::size_t h = 0; h < hidden; ++h) {
        double g = 0;
        for (std::size_t o = 0; o < out; ++o)
          g += static_cast<double>(gy[static_cast<std::size_t>(r) * out + o]) * p.w2[h * out + o];
        if (sums[h] <= 0) g *= kSlope;
        d_b1[h] += g;
        for (std::size_t i = 0; i < d_x.size(); ++i) d_x[i] += g * p.w1[i * hidden + h];
      }
      for (std::size_t i = 0; i < d_x.size(); ++i)
        EXPECT_NEAR(dx[static_cast<std::size_t>(r * s.in) + i], d_x[i], 1e-5) << r << ' ' << i;
    }
    const at::Tensor bias = mlp.gradients().at(1);
    for (std::size_t h = 0; h < hidden; ++h)
      EXPECT_NEAR(bias.data_ptr<float>()[h], d_b1[h], 2e-5) << h;
  }
}

/// Rows that are shared are added to the first layer's sums, and get its gradient.
TEST_P(PackedMlps, SharedRowsAreThoseOfTheirGroups) {
  const Shape s{11, 5, 19, 3};
  Rng rng(2);
  const Perceptron p(s, rng.split("parameters"));
  const Numbers x = numbers(s.rows * s.in, rng), shared = numbers(2 * s.hidden, rng),
                gy = numbers(s.rows * s.out, rng), none(shared.size());
  std::vector<std::int64_t> of;
  for (std::int64_t r = 0; r < s.rows; ++r) of.push_back(r % 2);
  PackedMlp mlp = p.packed();
  Numbers with(static_cast<std::size_t>(s.rows * s.out)), gradient(shared.size());
  mlp.forward(x.data(), s.rows, with.data(), {shared.data(), of.data(), nullptr});
  mlp.backward(x.data(), s.rows, gy.data(), nullptr, {shared.data(), of.data(), gradient.data()});
  for (std::int64_t group = 0; group < 2; ++group) {
    Perceptron moved = p;
    for (std::size_t h = 0; h < moved.b1.size(); ++h)
      moved.b1[h] += shared[static_cast<std::size_t>(group * s.hidden) + h];
    PackedMlp own = moved.packed();
    Numbers x_own, gy_own, expected;
    for (std::int64_t r = group; r < s.rows; r += 2) {
      x_own.insert(x_own.end(), x.begin() + r * s.in, x.begin() + (r + 1) * s.in);
      gy_own.insert(gy_own.end(), gy.begin() + r * s.out, gy.begin() + (r + 1) * s.out);
      expected.insert(expected.end(), with.begin() + r * s.out, with.begin() + (r + 1) * s.out);
    }
    const auto rows = static_cast<std::int64_t>(expected.size()) / s.out;
    Numbers y(expected.size());
    own.forward(x_own.data(), rows, y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << i;
    own.backward(x_own.data(), rows, gy_own.data(), nullptr);
    const at::Tensor d_b1 = own.gradients().at(1);
    for (std::int64_t h = 0; h < s.hidden; ++h)
      EXPECT_NEAR(gradient[static_cast<std::size_t>(group * s.hidden + h)],
                  d_b1.data_ptr<float>()[h], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, PackedMlps, ::testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return set.param; });

}  // namespace packed_mlp_test
}  // namespace park::agents
