// Trees of recorded tables against those of scikit-learn (record_sklearn.py): classification, weights,
// and best-first growth to several numbers of leaves. Rows that were not fitted show the thresholds.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "park/trees/cart.h"

namespace park::trees {
namespace sklearn_test {

/// A recorded table.
struct Recorded {
  std::vector<std::vector<float>> columns;   // [features][fitted]
  std::vector<double> targets, weights;      // [fitted]
  std::vector<std::vector<float>> rows;      // all, with those that were not fitted
  std::vector<std::size_t> leaves;           // that trees may have
  std::vector<std::vector<double>> by_rows;  // [rows][leaves] what scikit-learn predicts
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

Recorded read(const std::string& name) {
  Recorded all;
  std::ifstream file(PARK_SOURCE_DIR "/tests/trees/data/" + name);
  std::string line;
  std::getline(file, line);
  std::size_t features = 0;
  for (const std::string& title : cells_of(line)) {
    if (title[0] == 'x') ++features;
    if (title.starts_with("leaves")) all.leaves.push_back(std::stoul(title.substr(6)));
  }
  all.columns.resize(features);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    all.rows.emplace_back();
    for (std::size_t f = 0; f < features; ++f) all.rows.back().push_back(std::stof(cells[f]));
    all.by_rows.emplace_back();
    for (std::size_t k = 0; k < all.leaves.size(); ++k)
      all.by_rows.back().push_back(std::stod(cells[features + 2 + k]));
    if (cells[features].empty()) continue;
    for (std::size_t f = 0; f < features; ++f) all.columns[f].push_back(all.rows.back()[f]);
    all.targets.push_back(std::stod(cells[features]));
    all.weights.push_back(std::stod(cells[features + 1]));
  }
  return all;
}

void expect_same(const std::string& name, Cart::Kind kind) {
  const Recorded all = read(name);
  ASSERT_EQ(all.rows.size(), 120u) << name;
  ASSERT_EQ(all.targets.size(), 90u) << name;
  ASSERT_EQ(all.leaves.size(), 6u) << name;
  const Cart cart(all.columns, 1);
  for (std::size_t k = 0; k < all.leaves.size(); ++k) {
    const Tree tree = cart.fit(all.targets, all.weights, kind, {.leaves = all.leaves[k]});
    EXPECT_EQ(tree.leaves(), all.leaves[k]) << name;
    for (std::size_t r = 0; r < all.rows.size(); ++r)
      EXPECT_NEAR(static_cast<double>(tree(all.rows[r].data())), all.by_rows[r][k], 1e-6)
          << name << ", " << all.leaves[k] << " leaves, row " << r;
  }
}

TEST(Sklearn, Classification) { expect_same("chosen.csv", Cart::Kind::chosen); }
TEST(Sklearn, WeightedClassification) { expect_same("chosen_weighted.csv", Cart::Kind::chosen); }
TEST(Sklearn, SeveralClasses) { expect_same("classes_weighted.csv", Cart::Kind::classes); }
TEST(Sklearn, WeightedNumbers) { expect_same("number_weighted.csv", Cart::Kind::number); }

}  // namespace sklearn_test
}  // namespace park::trees
