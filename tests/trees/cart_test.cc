// Growing trees: one of three leaves by hand, then random tables against the plainest possible grower.
#include "park/trees/cart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "park/core/rng.h"

namespace park::trees {
namespace cart_test {

using Table = std::vector<std::vector<float>>;

TEST(Cart, ATreeOfThreeLeaves) {
  // y = 1 where a > 2 and b <= 10, else 0; the first split is the one on a.
  const Table columns{{1, 2, 1, 2, 3, 3, 4, 4, 5}, {5, 9, 20, 30, 5, 9, 7, 20, 30}};
  const std::vector<double> y{0, 0, 0, 0, 1, 1, 1, 0, 0}, w(9, 1);
  const Tree t = Cart(columns, 1).fit(y, w, Cart::Kind::chosen, {.leaves = 3});
  ASSERT_EQ(t.nodes.size(), 5u);
  EXPECT_EQ(t.nodes[0].feature, 0u);
  EXPECT_EQ(t.nodes[0].threshold, 2.5f);
  EXPECT_EQ(t.nodes[1].value, 0);
  EXPECT_EQ(t.nodes[1].samples, 4u);
  EXPECT_EQ(t.nodes[2].feature, 1u);
  EXPECT_EQ(t.nodes[2].threshold, 14.5f);
  EXPECT_EQ(t.nodes[3].value, 1);
  EXPECT_EQ(t.nodes[3].chosen, 3u);
  EXPECT_EQ(t.nodes[4].value, 0);
  EXPECT_EQ(t.leaves(), 3u);
}

TEST(Cart, WeightsMoveTheMeans) {
  const Table columns{{1, 1, 1}};
  const std::vector<double> y{0, 0, 1}, w{1, 1, 6};
  const Tree t = Cart(columns, 1).fit(y, w, Cart::Kind::chosen, {.leaves = 8});
  ASSERT_EQ(t.nodes.size(), 1u) << "nothing separates them";
  EXPECT_EQ(t.nodes[0].value, 0.75f);
}

TEST(Cart, ClassesHaveTheClassOfMostWeight) {
  const Table columns{{1, 1, 2, 2, 3, 3, 3}};
  const std::vector<double> y{2, 2, 0, 0, 1, 1, 0}, w{1, 1, 1, 1, 1, 1, 5};
  const Tree t = Cart(columns, 1).fit(y, w, Cart::Kind::classes, {.leaves = 3});
  ASSERT_EQ(t.leaves(), 3u);
  const std::vector<float> rows{1, 2, 3};
  EXPECT_EQ(t(&rows[0]), 2);
  EXPECT_EQ(t(&rows[1]), 0);
  EXPECT_EQ(t(&rows[2]), 0) << "one sample outweighs two";
}

TEST(Cart, NeighbouringFloatsAreSeparated) {
  const float a = 1, b = std::nextafter(1.0f, 2.0f);
  const Table columns{{a, b}};
  const Tree t = Cart(columns, 1)
                     .fit(std::vector<double>{0, 1}, std::vector<double>{1, 1}, Cart::Kind::chosen,
                          {.leaves = 2});
  ASSERT_EQ(t.nodes.size(), 3u);
  EXPECT_EQ(t(&a), 0);
  EXPECT_EQ(t(&b), 1);
}

/// The plainest grower: all splits of all leaves are tried again for each new leaf.
class Plain {
 public:
  Plain(const Table& x, const std::vector<double>& y, const std::vector<double>& w)
      : x_(x), y_(y), w_(w) {
    std::vector<std::size_t> all(y.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    leaves_.push_back(all);
  }

  bool split_once() {
    double most = 1e-9;
    std::size_t leaf = 0;
    std::vector<std::size_t> left, right;
    for (std::size_t l = 0; l < leaves_.size(); ++l)
      for (const std::vector<float>& column : x_)
        for (const std::size_t at : leaves_[l]) {
          std::vector<std::size_t> low, high;
          for (const std::size_t s : leaves_[l])
            (column[s] <= column[at] ? low : high).push_back(s);
          if (high.empty()) continue;
          const double gain = cost(leaves_[l]) - cost(low) - cost(high);
          if (gain <= most + 1e-9) continue;
          most = gain;
          leaf = l;
          left = low;
          right = high;
        }
    if (left.empty()) return false;
    leaves_[leaf] = left;
    leaves_.push_back(right);
    return true;
  }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const auto& leaf : leaves_) sum += cost(leaf);
    return sum;
  }

 private:
  [[nodiscard]] double cost(const std::vector<std::size_t>& samples) const {
    double weight = 0, sum = 0, squares = 0;
    for (const std::size_t s : samples) {
      weight += w_[s];
      sum += w_[s] * y_[s];
      squares += w_[s] * y_[s] * y_[s];
    }
    return squares - sum * sum / weight;
  }

  const Table& x_;
  const std::vector<double>&y_, &w_;
  std::vector<std::vector<std::size_t>> leaves_;
};

TEST(Cart, RandomTablesHaveTheCostOfThePlainestGrower) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Rng rng(seed);
    Table x(3, std::vector<float>(60));
    std::vector<double> y(60), w(60);
    for (std::size_t s = 0; s < 60; ++s) {
      for (auto& column : x) column[s] = static_cast<float>(rng.below(15));
      y[s] = rng.uniform() + (x[1][s] > 7 ? 1 : 0);
      w[s] = 1 + static_cast<double>(rng.below(4));
    }
    Plain plain(x, y, w);
    for (std::size_t leaves = 1; leaves <= 10; ++leaves) {
      if (leaves > 1) {
        ASSERT_TRUE(plain.split_once());
      }
      const Tree t = Cart(x, 1).fit(y, w, Cart::Kind::number, {.leaves = leaves});
      double cost = 0;
      for (std::size_t s = 0; s < 60; ++s) {
        const std::vector<float> row{x[0][s], x[1][s], x[2][s]};
        const double away = y[s] - static_cast<double>(t(row.data()));
        cost += w[s] * away * away;
      }
      EXPECT_EQ(t.leaves(), leaves);
      EXPECT_NEAR(cost, plain.total(), 1e-4) << seed << ' ' << leaves;
    }
  }
}

TEST(Cart, ThreadsChangeNothing) {
  Rng rng(5);
  Table x(9, std::vector<float>(6000));
  std::vector<double> y(6000), w(6000);
  for (std::size_t s = 0; s < y.size(); ++s) {
    for (auto& column : x) column[s] = static_cast<float>(rng.uniform());
    y[s] = x[3][s] * x[5][s] > 0.3f ? 1 : 0;
    w[s] = 1 + rng.uniform();
  }
  TreeFile one{.env = "a", .layout = "0123456789abcdef"}, three = one;
  const std::vector<Expression> names(9, parse_expression("a"));
  for (auto* file : {&one, &three}) {
    const std::uint32_t threads = file == &one ? 1 : 3;
    Tree t = Cart(x, threads).fit(y, w, Cart::Kind::chosen, {.leaves = 40, .threads = threads});
    EXPECT_EQ(t.leaves(), 40u);
    HeadTrees head{{}, "a"};
    head.values.push_back(forest_of({std::move(t)}, names));
    file->heads.push_back(std::move(head));
  }
  EXPECT_EQ(print_tree_file(one), print_tree_file(three));
}

}  // namespace cart_test
}  // namespace park::trees
