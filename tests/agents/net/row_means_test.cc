// Means over the elements of each row.
#include "agents/net/row_means.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

namespace park::agents {
namespace row_means_test {

TEST(RowMeans, EveryRowHasTheMeanOfItsElementsAndAnEmptyOneHas0) {
  const at::Tensor elements = at::arange(1, 7, at::kFloat).reshape({3, 2});
  const at::Tensor means = row_means(elements, {0, 2, 2}, 4);
  ASSERT_EQ(means.sizes(), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(means[0][0].item<float>(), 1);
  EXPECT_EQ(means[0][1].item<float>(), 2);
  EXPECT_EQ(means[1].abs().sum().item<float>(), 0);
  EXPECT_EQ(means[2][0].item<float>(), 4);
  EXPECT_EQ(means[2][1].item<float>(), 5);
  EXPECT_EQ(means[3].abs().sum().item<float>(), 0);
}

TEST(RowMeans, ARowWithoutElementsAtAllIsNoError) {
  EXPECT_EQ(row_means(at::arange(0, at::kFloat).reshape({0, 2}), {}, 2).abs().sum().item<float>(),
            0);
}

}  // namespace row_means_test
}  // namespace park::agents
