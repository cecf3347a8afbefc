// Operators with a backward of their own, against the plain ones and finite differences.
#include <utility>
#include <vector>

#include "agents/kit/segments.h"
#include "agents/net/perceptron.h"
#include "tests/agents/kit/gradient.h"

namespace park::agents {
namespace operators_test {

using test::expect_gradient;
using test::numbers;

class Segments : public ::testing::Test {
 protected:
  at::Tensor offsets_ = at::tensor({0, 3, 4, 9}, at::kLong);
  at::Tensor chosen_ = at::tensor({2, 3, 5}, at::kLong);
};

TEST_F(Segments, AreSoftmaxesRowByRow) {
  const at::Tensor scores = 3 * numbers({9}, 1);
  const auto [log_prob, entropy] = segment_log_prob(scores, offsets_, chosen_);
  for (std::int64_t r = 0; r < 3; ++r) {
    const auto begin = offsets_[r].item<std::int64_t>();
    const at::Tensor row = scores.slice(0, begin, offsets_[r + 1].item<std::int64_t>());
    const at::Tensor log_p = row.log_softmax(0);
    EXPECT_NEAR(log_prob[r].item<double>(),
                log_p[chosen_[r].item<std::int64_t>() - begin].item<double>(), 1e-6);
    EXPECT_NEAR(entropy[r].item<double>(), -(log_p.exp() * log_p).sum().item<double>(), 1e-6);
  }
}

TEST_F(Segments, LargeScoresDoNotOverflow) {
  const auto [log_prob, entropy] = segment_log_prob(
      at::tensor({1e4f, -1e4f}), at::tensor({0, 2}, at::kLong), at::tensor({1}, at::kLong));
  EXPECT_FLOAT_EQ(log_prob.item<float>(), -2e4f);
  EXPECT_FLOAT_EQ(entropy.item<float>(), 0);
}

TEST_F(Segments, GradientsAreThoseOfFiniteDifferences) {
  const at::Tensor weight = numbers({3}, 2);
  expect_gradient(
      [&](const at::Tensor& scores) {
        const auto [log_prob, entropy] = segment_log_prob(scores, offsets_, chosen_);
        return (log_prob * weight).sum() + (entropy * weight.flip(0)).sum();
      },
      numbers({9}, 3));
}

std::vector<at::Tensor> parameters(std::int64_t in, std::int64_t h1, std::int64_t h2,
                                   std::int64_t out) {
  std::vector<at::Tensor> all = {numbers({in, h1}, 11),  numbers({h1}, 12),
                                 numbers({h1, h2}, 13),  numbers({h2}, 14),
                                 numbers({h2, out}, 15), numbers({out}, 16)};
  for (at::Tensor& p : all) p.requires_grad_(true);
  return all;
}

at::Tensor fused(const at::Tensor& x, const std::vector<at::Tensor>& p) {
  return perceptron(x, {.tensors = p});
}

at::Tensor plain(const at::Tensor& x, const std::vector<at::Tensor>& p) {
  const at::Tensor a1 = at::leaky_relu(at::matmul(x, p[0]) + p[1], 0.1);
  const at::Tensor a2 = at::leaky_relu(at::matmul(a1, p[2]) + p[3], 0.1);
  return at::matmul(a2, p[4]) + p[5];
}

TEST(Perceptron, AgreesWithTheOperators) {
  const std::int64_t shapes[][4] = {{32, 32, 16, 1}, {7, 5, 3, 2}, {1, 1, 1, 1}, {40, 64, 32, 1}};
  for (const auto& s : shapes) {
    const std::vector<at::Tensor> p = parameters(s[0], s[1], s[2], s[3]),
                                  q = parameters(s[0], s[1], s[2], s[3]);
    const at::Tensor x = numbers({17, s[0]}, 5).requires_grad_(true);
    const at::Tensor y = numbers({17, s[0]}, 5).requires_grad_(true);
    const at::Tensor weight = numbers({17, s[3]}, 6);
    const at::Tensor ours = fused(x, p), theirs = plain(y, q);
    EXPECT_TRUE(at::allclose(ours, theirs, 1e-5, 1e-5));
    (ours * weight).sum().backward();
    (theirs * weight).sum().backward();
    EXPECT_TRUE(at::allclose(x.grad(), y.grad(), 1e-4, 1e-4));
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_TRUE(at::allclose(p[i].grad(), q[i].grad(), 1e-4, 1e-4)) << "parameter " << i;
  }
}

TEST(Perceptron, RowsWithoutGradientChangeNothing) {
  const std::vector<at::Tensor> p = parameters(4, 6, 3, 1);
  (fused(numbers({5, 4}, 7), p) * at::zeros({5, 1})).sum().backward();
  for (const at::Tensor& t : p) EXPECT_EQ(t.grad().abs().sum().item<double>(), 0);
}

}  // namespace operators_test
}  // namespace park::agents
