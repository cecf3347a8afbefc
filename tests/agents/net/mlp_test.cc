// The perceptron with a backward of its own, against the plain operators and finite differences.
#include "agents/net/mlp.h"

#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "agents/net/index_tensor.h"
#include "agents/net/shared_mlp.h"
#include "tests/agents/kit/gradient.h"

namespace park::agents {
namespace mlp_test {

using test::expect_gradient;
using test::numbers;

PerceptronParameters parameters(const std::vector<std::int64_t>& widths, MlpStyle style = {},
                                bool last_bias = true) {
  PerceptronParameters p{.tensors = {}, .style = style};
  for (std::size_t k = 1; k < widths.size(); ++k) {
    p.tensors.push_back(numbers({widths[k - 1], widths[k]}, 10 + k).requires_grad_(true));
    if (last_bias || k + 1 < widths.size())
      p.tensors.push_back(numbers({widths[k]}, 20 + k).requires_grad_(true));
  }
  return p;
}

struct Case {
  std::vector<std::int64_t> widths;
  MlpStyle style{};
  bool last_bias = true;
};

const Case kCases[] = {{{32, 32, 16, 1}},
                       {{7, 5, 3, 2}},
                       {{1, 1, 1, 1}},
                       {{40, 64, 32, 1}},
                       {{3, 300, 9, 12}},
                       {{21, 32, 16, 16}, {0.2f, true}},
                       {{36, 32, 16, 8, 1}, {0.2f, false}, false},
                       {{5, 4}, {0.2f, true}}};

TEST(Perceptron, AgreesWithTheOperators) {
  for (const Case& c : kCases) {
    const PerceptronParameters p = parameters(c.widths, c.style, c.last_bias),
                               q = parameters(c.widths, c.style, c.last_bias);
    const at::Tensor x = numbers({17, c.widths[0]}, 5).requires_grad_(true);
    const at::Tensor y = numbers({17, c.widths[0]}, 5).requires_grad_(true);
    const at::Tensor weight = numbers({17, c.widths.back()}, 6);
    const at::Tensor ours = perceptron(x, p), theirs = plain_perceptron(y, q);
    EXPECT_TRUE(at::allclose(ours, theirs, 1e-4, 1e-4));
    (ours * weight).sum().backward();
    (theirs * weight).sum().backward();
    EXPECT_TRUE(at::allclose(x.grad(), y.grad(), 1e-3, 1e-3));
    for (std::size_t i = 0; i < p.tensors.size(); ++i)
      EXPECT_TRUE(at::allclose(p.tensors[i].grad(), q.tensors[i].grad(), 1e-3, 1e-3))
          << "parameter " << i;
  }
}

TEST(Perceptron, GradientsAreThoseOfFiniteDifferences) {
  const at::Tensor weight = numbers({3, 2}, 8);
  PerceptronParameters p = parameters({4, 6, 5, 2}, {0.2f, true});
  const at::Tensor x = numbers({3, 4}, 7);
  expect_gradient([&](const at::Tensor& v) { return (perceptron(v, p) * weight).sum(); }, x, 1e-3f,
                  1e-2);
  for (at::Tensor& t : p.tensors) {
    const at::Tensor kept = t;
    expect_gradient(
        [&](const at::Tensor& v) {
          t = v;
          return (perceptron(x, p) * weight).sum();
        },
        kept, 1e-3f, 1e-2);
    t = kept;
  }
}

TEST(Perceptron, ARowDoesNotDependOnTheOthers) {
  const PerceptronParameters p = parameters({21, 32, 24, 16, 3});
  const at::Tensor x = numbers({29, 21}, 9);
  const at::Tensor all = perceptron(x, p);
  for (std::int64_t r = 0; r < x.size(0); ++r)
    EXPECT_TRUE(at::equal(perceptron(x.slice(0, r, r + 1), p), all.slice(0, r, r + 1)));
}

TEST(Perceptron, RowsWithoutGradientChangeNothing) {
  const PerceptronParameters p = parameters({4, 6, 3, 1});
  const at::Tensor x = numbers({5, 4}, 7).requires_grad_(true);
  (perceptron(x, p) * at::zeros({5, 1})).sum().backward();
  for (const at::Tensor& t : p.tensors) EXPECT_EQ(t.grad().abs().sum().item<double>(), 0);
  EXPECT_EQ(x.grad().abs().sum().item<double>(), 0);
}

TEST(Perceptron, NoRowsAreNoRows) {
  const PerceptronParameters p = parameters({4, 6, 1});
  const at::Tensor y = perceptron(at::zeros({0, 4}), p);
  EXPECT_EQ(y.size(0), 0);
  y.sum().backward();
  EXPECT_EQ(p.tensors[0].grad().abs().sum().item<double>(), 0);
}

/// Rows that share a part: the same as a perceptron of both parts side by side.
TEST(SharedMlp, IsAPerceptronOfBothParts) {
  const SharedMlp net({.shared = 7, .own = 5, .widths = {33, 9, 2}}, Rng(3));
  const auto weights = net.named_parameters();
  PerceptronParameters whole{
      .tensors = {at::cat({*weights.find("shared"), *weights.find("own.w1")}, 0)}};
  for (const char* name : {"own.b1", "own.w2", "own.b2", "own.w3", "own.b3"})
    whole.tensors.push_back(*weights.find(name));
  const at::Tensor group = index_tensor({2, 0, 0, 2, 1, 0, 0, 0, 2, 2, 1});
  const at::Tensor shared = numbers({3, 7}, 1).requires_grad_(true);
  const at::Tensor own = numbers({11, 5}, 2).requires_grad_(true);
  const at::Tensor weight = numbers({11, 2}, 4);
  const auto gradients = [&](const at::Tensor& y) {
    std::vector<at::Tensor> inputs = {shared, own};
    for (const auto& item : weights) inputs.push_back(item.value());
    return torch::autograd::grad({(y * weight).sum()}, inputs);
  };
  const at::Tensor y = net.forward(shared, own, group);
  const at::Tensor both = at::cat({shared.index_select(0, group), own}, 1);
  const at::Tensor expected = plain_perceptron(both, whole);
  EXPECT_TRUE(at::allclose(y, expected, 1e-4, 1e-5));
  const auto ours = gradients(y), theirs = gradients(expected);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-3, 1e-4)) << i;
}

/// Inputs in the middle that rows share, at the end, and all of them: as one perceptron.
TEST(Mlp, InputsThatRowsShareAreMultipliedOnce) {
  const Mlp net({.widths = {9, 33, 5, 2}}, Rng(3));
  const at::Tensor group = index_tensor({1, 0, 0, 1, 1});
  for (const Mlp::Inputs some : {Mlp::Inputs{2, 4}, Mlp::Inputs{3, 6}, Mlp::Inputs{0, 9}}) {
    const std::int64_t behind = some.first + some.count;
    const at::Tensor shared = numbers({2, some.count}, 1).requires_grad_(true);
    const at::Tensor own = numbers({5, 9 - some.count}, 2).requires_grad_(true);
    const at::Tensor weight = numbers({5, 2}, 4);
    const auto gradients = [&](const at::Tensor& y) {
      std::vector<at::Tensor> inputs = {shared};
      if (some.count < 9) inputs.push_back(own);
      for (const at::Tensor& t : net.tensors().tensors) inputs.push_back(t);
      return torch::autograd::grad({(y * weight).sum()}, inputs);
    };
    const at::Tensor y = net.forward_without(some, own, {net.products(shared, some), group});
    const at::Tensor x = at::cat({own.narrow(1, 0, some.first), shared.index_select(0, group),
                                  own.narrow(1, some.first, 9 - behind)},
                                 1);
    const at::Tensor expected = plain_perceptron(x, net.tensors());
    EXPECT_TRUE(at::allclose(y, expected, 1e-4, 1e-5)) << some.first;
    const auto ours = gradients(y), theirs = gradients(expected);
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-3, 1e-4)) << some.first << ' ' << i;
  }
}

TEST(Mlp, WeightsDependOnTheGeneratorAlone) {
  const MlpOptions options{.widths = {6, 5, 4, 1}};
  Mlp a(options, Rng(3)), b(options, Rng(3)), c(options, Rng(4));
  const at::Tensor x = numbers({2, 6}, 1);
  EXPECT_TRUE(at::equal(a.forward(x), b.forward(x)));
  EXPECT_FALSE(at::equal(a.forward(x), c.forward(x)));
  EXPECT_EQ(a.parameters().size(), 6u);
}

}  // namespace mlp_test
}  // namespace park::agents
