#include "park/core/id_vector.h"

#include <gtest/gtest.h>

#include <span>
#include <utility>

namespace park {
namespace id_vector_test {

TEST(IdVector, IsAVector) {
  IdVector<int> v(3, 7);
  v[1] = 8;
  v.push_back(9);
  EXPECT_EQ(v, (IdVector<int>{7, 8, 7, 9}));
  EXPECT_EQ(std::as_const(v)[1], 8);
  EXPECT_EQ(v.front(), 7);
  EXPECT_EQ(std::as_const(v).back(), 9);
  const std::span<const int> all = v;
  EXPECT_EQ(all.data(), &v[0]);
  EXPECT_EQ(all.size(), 4U);
}

#ifndef NDEBUG
TEST(IdVectorDeathTest, ChecksItsNumbersInBuildsWithAssertions) {
  IdVector<int> v(3);
  EXPECT_DEATH(v[3] = 1, "i < this->size\\(\\)");
  v.clear();
  EXPECT_DEATH((void)v.front(), "i < this->size\\(\\)");
}
#endif

}  // namespace id_vector_test
}  // namespace park
