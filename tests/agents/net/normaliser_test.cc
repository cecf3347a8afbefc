#include "agents/net/normaliser.h"

#include "tests/agents/kit/gradient.h"

namespace park::agents {
namespace normaliser_test {

using test::numbers;

at::Tensor uneven() {
  at::Tensor x = 5 * numbers({40, 3}, 1) + 100;
  x.select(1, 1).fill_(7);
  return x;
}

TEST(Normaliser, BringsColumnsToMeanZeroAndDeviationOne) {
  Normaliser n(3);
  const at::Tensor x = uneven();
  n.observe(x.slice(0, 0, 13).contiguous());  // in parts as at once
  n.observe(x.slice(0, 13).contiguous());
  n.settle();
  const at::Tensor y = n.apply(x.clone());
  for (const std::int64_t c : {0, 2}) {
    EXPECT_NEAR(y.select(1, c).mean().item<double>(), 0, 1e-4);
    EXPECT_NEAR(y.select(1, c).std(false).item<double>(), 1, 1e-4);
  }
}

TEST(Normaliser, AColumnThatNeverVariedIsZero) {
  Normaliser n(3);
  n.observe(uneven());
  n.settle();
  at::Tensor other = uneven();
  other.select(1, 1).fill_(50);
  EXPECT_EQ(n.apply(other).select(1, 1).abs().max().item<double>(), 0);
}

TEST(Normaliser, ChangesOnlyWhenItSettles) {
  Normaliser n(3);
  const at::Tensor x = numbers({4, 3}, 2);
  n.observe(uneven());
  EXPECT_TRUE(at::equal(n.apply(x.clone()), x));
  n.settle();
  const at::Tensor once = n.apply(x.clone());
  EXPECT_FALSE(at::equal(once, x));
  n.settle();  // nothing was observed
  EXPECT_TRUE(at::equal(n.apply(x.clone()), once));
}

TEST(Normaliser, ClipsAtTen) {
  Normaliser n(1);
  n.observe(numbers({50, 1}, 3));
  n.settle();
  const at::Tensor y = n.apply(at::tensor({1e6f, -1e6f}).view({2, 1}));
  EXPECT_EQ(y[0].item<float>(), 10);
  EXPECT_EQ(y[1].item<float>(), -10);
}

TEST(Normaliser, StatisticsAreBuffersThatGoOn) {
  Normaliser a(2), b(2);
  a.observe(numbers({9, 2}, 4));
  a.settle();
  a.observe(numbers({5, 2}, 5));  // pending ones travel, too
  const auto from = a.named_buffers(), to = b.named_buffers();
  for (const auto& item : from) to[item.key()].copy_(item.value());
  a.settle();
  b.settle();
  const at::Tensor x = numbers({3, 2}, 6);
  EXPECT_TRUE(at::equal(a.apply(x.clone()), b.apply(x.clone())));
}

}  // namespace normaliser_test
}  // namespace park::agents
