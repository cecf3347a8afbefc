// Batches as tensors: no number is copied.
#include "agents/kit/tensor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "tests/kit/toy_shop.h"

namespace park::agents {
namespace tensor_test {

TEST(ColumnTensor, IsTheMemoryOfTheBatch) {
  Registry registry;
  registry.add_env<park::test::ToyShop>();
  const Spec spec = registry.spec("toy_shop");
  Batch batch(spec.observation);
  RandomPolicy policy(spec);
  play(*registry.stream("toy_shop", RandomEpisodes(Rng(3), {.count = 2})), policy, Rng(4),
       [&](const Decisions& d, const Batch&) { batch.append(d.observation); });
  ASSERT_GT(batch.rows(), 10u);
  std::size_t fixed = 0, ragged = 0;
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    const Leaf& leaf = batch.record().leaves[c];
    SCOPED_TRACE(leaf.name);
    const GroupId group = batch.group_of(c);
    ++(group.id < 0 ? fixed : ragged);
    const at::Tensor t = column_tensor(batch, c);
    EXPECT_EQ(t.data_ptr(), batch.bytes(c, 0, batch.rows()).data());
    EXPECT_EQ(static_cast<std::size_t>(t.element_size()), size_of(leaf.dtype));
    const auto rows = static_cast<std::int64_t>(batch.rows());
    EXPECT_EQ(t.size(0), group.id < 0 ? rows : batch.offsets(group).back());
    EXPECT_EQ(t.size(1), static_cast<std::int64_t>(leaf.width()));
  }
  EXPECT_GT(fixed, 0u);
  EXPECT_GT(ragged, 0u);
}

}  // namespace tensor_test
}  // namespace park::agents
