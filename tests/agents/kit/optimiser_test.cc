// Adam's steps: along the mean gradient, cut to the largest norm.
#include "agents/kit/optimiser.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

#include "park/core/error.h"

namespace park::agents {
namespace optimiser_test {

struct Pair final : torch::nn::Module {
  Pair() { values = register_parameter("values", at::zeros({2})); }
  at::Tensor values;
};

class OptimiserTest : public ::testing::Test {
 protected:
  double step(float a, float b, double clip_norm, double count = 1) {
    net_->values.mutable_grad() = at::tensor({a, b});
    return optimiser_.step(0.1, clip_norm, count);
  }
  /// After a first step along (a, b): the averages of Adam weigh it 0.1, its square 0.001.
  void expect_first_step_along(float a, float b) {
    const State state = optimiser_.state();
    ASSERT_EQ(state.size(), 3u);
    EXPECT_TRUE(at::allclose(state[1].second, at::tensor({0.1f * a, 0.1f * b}), 1e-4));
    EXPECT_TRUE(
        at::allclose(state[2].second, at::tensor({0.001f * a * a, 0.001f * b * b}), 1e-4, 1e-9));
    EXPECT_TRUE(at::allclose(net_->values, at::tensor({-0.1f, -0.1f}), 1e-4));
  }

  std::shared_ptr<Pair> net_ = std::make_shared<Pair>();
  Optimiser optimiser_{net_};
};

TEST_F(OptimiserTest, ASmallGradientIsTakenAsItIs) {
  EXPECT_DOUBLE_EQ(step(3, 4, 10), 5);
  expect_first_step_along(3, 4);
}

TEST_F(OptimiserTest, ALargeOneIsCutToTheNorm) {
  EXPECT_DOUBLE_EQ(step(3, 4, 0.5), 5);
  expect_first_step_along(0.3f, 0.4f);
}

TEST_F(OptimiserTest, TheNormIsThatOfTheMean) {
  EXPECT_DOUBLE_EQ(step(6, 8, 10, 2), 5);
  expect_first_step_along(3, 4);
}

TEST_F(OptimiserTest, WhatIsNotFiniteChangesNothing) {
  EXPECT_THROW(step(std::numeric_limits<float>::infinity(), 1, 0.5), Error);
  EXPECT_DOUBLE_EQ(step(3, 4, 10), 5);
  expect_first_step_along(3, 4);
}

TEST_F(OptimiserTest, AResetForgetsAllSteps) {
  step(-7, 1, 10);
  step(2, 2, 10);
  optimiser_.reset();
  for (const auto& [name, tensor] : optimiser_.state())
    EXPECT_EQ(tensor.abs().sum().item<double>(), 0) << name;
  {
    const at::NoGradGuard off;
    net_->values.zero_();
  }
  step(3, 4, 10);
  expect_first_step_along(3, 4);
}

}  // namespace optimiser_test
}  // namespace park::agents
