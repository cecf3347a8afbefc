// Gradients of a loss add up, without subnormal numbers, and the thread computes as before afterwards.
#include "agents/kit/gradients.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

namespace park::agents {
namespace gradients_test {

constexpr float kSubnormal = std::numeric_limits<float>::min() / 4;

/// Computed at run time, in the mode that the thread is in.
bool subnormals_are_zero() {
  volatile float small = kSubnormal;
  const volatile float same = small * 1.0f;
  return same == 0;
}

at::Tensor parameter() { return at::ones({2}).set_requires_grad(true); }

TEST(GradientsTest, SubnormalNumbersAreZeroOnlyWhileItLives) {
#ifndef __SSE2__
  GTEST_SKIP() << "subnormal numbers are kept on this processor";
#endif
  EXPECT_FALSE(subnormals_are_zero());
  {
    const SubnormalsAsZero outer;
    EXPECT_TRUE(subnormals_are_zero());
    { const SubnormalsAsZero inner; }
    EXPECT_TRUE(subnormals_are_zero());
  }
  EXPECT_FALSE(subnormals_are_zero());
}

TEST(GradientsTest, TheyAddUp) {
  const at::Tensor p = parameter();
  add_gradients((p * p).sum());
  add_gradients(3 * p.sum());
  EXPECT_EQ(p.grad()[0].item<float>(), 5);
}

TEST(GradientsTest, SubnormalOnesAreZero) {
#ifndef __SSE2__
  GTEST_SKIP() << "subnormal numbers are kept on this processor";
#endif
  const at::Tensor p = parameter();
  add_gradients((p * kSubnormal).sum());
  EXPECT_EQ(p.grad()[0].item<float>(), 0);
  EXPECT_FALSE(subnormals_are_zero());
}

TEST(GradientsTest, ALossOfNoParameterHasNone) {
  const at::Tensor p = parameter();
  add_gradients(at::zeros({}));
  EXPECT_FALSE(p.grad().defined());
}

}  // namespace gradients_test
}  // namespace park::agents
