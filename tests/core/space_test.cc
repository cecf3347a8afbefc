// Specs: every contradiction is named, sizes never wrap round, and layout_hash covers what it says.
#include "park/core/space.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "park/core/categories.h"
#include "park/core/error.h"
#include "tests/core/toy.h"

namespace park {
namespace space_test {

std::string problem(const Spec& s) {
  try {
    validate(s);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_space);
    return e.what();
  }
  return "";
}

TEST(Spec, AValidOneIsAccepted) { EXPECT_EQ(problem(test::Boxes::spec()), ""); }

TEST(Spec, EveryContradictionIsNamed) {
  const auto broken = [](auto&& change) {
    Spec s = test::Boxes::spec();
    change(s);
    return problem(s);
  };
  EXPECT_NE(broken([](Spec& s) {
              s.observation.leaves[0].high = kInf;
            }).find("'box.content' needs finite bounds"),
            std::string::npos);
  EXPECT_NE(
      broken([](Spec& s) { s.observation.leaves[1].name = "box.content"; }).find("occurs twice"),
      std::string::npos);
  EXPECT_NE(broken([](Spec& s) { s.observation.leaves[0].group = "bags"; }).find("in no group"),
            std::string::npos);
  EXPECT_NE(broken([](Spec& s) { s.observation.leaves[1].group = ""; }).find("mask of head 'box'"),
            std::string::npos);
  EXPECT_NE(broken([](Spec& s) { s.action.leaves[1].given = {"amount"}; }).find("earlier head"),
            std::string::npos);
  EXPECT_NE(broken([](Spec& s) {
              s.observation.leaves[2].dtype = DType::f32;
            }).find("range of head 'amount'"),
            std::string::npos);
  EXPECT_NE(broken([](Spec& s) { s.observation.leaves[0].doc = ""; }).find("a unit and a doc"),
            std::string::npos);
  EXPECT_NE(broken([](Spec& s) {
              s.name = "Boxes";
              s.reference = "";
            }).find('\n'),
            std::string::npos);
}

TEST(Leaf, NumbersThatAreNamesAreCategories) {
  Leaf leaf{.name = "state", .dtype = DType::i32, .low = -2, .high = 4, .doc = "where"};
  EXPECT_EQ(categories(leaf), 0) << "a quantity";
  leaf.unit = kCategory;
  EXPECT_EQ(categories(leaf), 7);
  leaf.dtype = DType::f32;
  EXPECT_EQ(categories(leaf), 0);
  leaf.dtype = DType::i64;
  leaf.high = 1 << 17;
  EXPECT_EQ(categories(leaf), 0) << "too many";
  leaf.high = 99'999;
  EXPECT_EQ(categories(leaf), 100'002);
  leaf.shape = {2};
  EXPECT_EQ(categories(leaf), 0) << "too many over both values";
}

TEST(Spec, CategoriesAreWholeAndNoPartOfTheLayout) {
  Spec spec = test::Boxes::spec();
  spec.observation.leaves.push_back(
      {.name = "room", .dtype = DType::i32, .low = 0, .high = 9, .doc = "where"});
  const std::uint64_t hash = layout_hash(spec);
  Leaf& room = spec.observation.leaves.back();
  room.unit = kCategory;
  EXPECT_EQ(problem(spec), "");
  EXPECT_EQ(layout_hash(spec), hash);
  room.high = 1e9;
  EXPECT_NE(problem(spec).find("'room' has categories: it must have"), std::string::npos);
  room.high = 8.5;
  EXPECT_NE(problem(spec).find("'room' has categories: it must have"), std::string::npos);
  room.dtype = DType::f32;
  room.high = 9;
  EXPECT_NE(problem(spec).find("'room' has categories: it must have"), std::string::npos);
}

TEST(Leaf, ItsSizeNeverWrapsRound) {
  const auto bytes = [](std::vector<std::int64_t> shape) {
    return Leaf{.name = "x", .shape = std::move(shape)}.bytes();
  };
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  constexpr std::int64_t kLarge = std::int64_t{1} << 62, kHalf = std::int64_t{1} << 32;
  EXPECT_EQ(bytes({}), 4u);
  EXPECT_EQ(bytes({2, 3}), 24u);
  EXPECT_EQ(bytes({kLarge}), kMost);
  EXPECT_EQ(bytes({kHalf, kHalf}), kMost);
  EXPECT_EQ(bytes({kLarge, kLarge, kLarge}), kMost);
  EXPECT_EQ(bytes({kLarge, 0}), 0u);
  EXPECT_EQ(bytes({-1}), 0u);
}

TEST(Spec, ARowIsBoundedAndItsLeafIsNamed) {
  const auto with = [](Record Spec::*record, std::vector<std::int64_t> shape, DType dtype) {
    Spec s = test::Boxes::spec();
    (s.*record).leaves.push_back({.name = "large",
                                  .dtype = dtype,
                                  .shape = std::move(shape),
                                  .low = 0,
                                  .high = 1,
                                  .doc = "none"});
    return problem(s);
  };
  const std::int64_t most = static_cast<std::int64_t>(kMostRowBytes) / 4;
  EXPECT_EQ(with(&Spec::action, {most - 2}, DType::f32), "") << "two heads of 4 bytes are there";
  constexpr std::int64_t kOne = 1;
  const std::vector<std::vector<std::int64_t>> shapes{
      {most}, {kOne << 62}, {kOne << 61}, {kOne << 32, kOne << 32}, {kOne << 31}};
  for (const auto& shape : shapes) {
    const std::string action = with(&Spec::action, shape, DType::f32);
    EXPECT_EQ(action.find("spec boxes: action leaf 'large': with its shape ["), 0u) << action;
    EXPECT_EQ(action.find('\n'), std::string::npos) << action;
    const std::string observation = with(&Spec::observation, shape, DType::f64);
    EXPECT_EQ(observation.find("spec boxes: observation leaf 'large': "), 0u) << observation;
    EXPECT_EQ(observation.find('\n'), std::string::npos) << observation;
  }
  Spec several = test::Boxes::spec();
  for (const char* name : {"one", "two", "three"})
    several.observation.leaves.push_back(
        {.name = name, .shape = {most / 2}, .low = 0, .high = 1, .doc = "none"});
  EXPECT_NE(problem(several).find("leaf 'two'"), std::string::npos) << "with it a row is too large";
}

TEST(Spec, ACapacityReservesNothing) {
  Spec s = test::Boxes::spec();
  s.observation.groups[0].capacity = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(problem(s), "");
}

TEST(Spec, TheBoundsOfAnIntegerHeadAreValues) {
  const auto refused = [](double low, double high) {
    Spec s = test::Boxes::spec();
    s.action.leaves[1].low = low;
    s.action.leaves[1].high = high;
    return problem(s).find("head 'amount' is i32: its bounds must be whole") != std::string::npos;
  };
  EXPECT_FALSE(refused(-2147483648.0, 2147483647.0));
  EXPECT_TRUE(refused(0.9, 2.1)) << "has more values than its difference says";
  EXPECT_TRUE(refused(0, 2147483648.0));
  EXPECT_TRUE(refused(-1e300, 1e300));
}

TEST(Spec, LayoutHashLeavesOutCapacitiesAndBounds) {
  const Spec s = test::Boxes::spec();
  const auto changed = [&](auto&& change) {
    Spec other = s;
    change(other);
    return layout_hash(other) != layout_hash(s);
  };
  EXPECT_FALSE(changed([](Spec& o) { o.observation.groups[0].capacity = 99; }));
  EXPECT_FALSE(changed([](Spec& o) { o.observation.leaves[0].high = 99; }));
  EXPECT_FALSE(changed([](Spec& o) { o.action.leaves[1].high = 99; }));  // a range head
  EXPECT_FALSE(changed([](Spec& o) { o.observation.leaves.push_back({.name = "info.note"}); }));
  EXPECT_TRUE(changed([](Spec& o) { o.observation.leaves[4].dtype = DType::f32; }));
  EXPECT_TRUE(changed([](Spec& o) { o.observation.leaves[4].shape = {2}; }));
  EXPECT_TRUE(changed([](Spec& o) { o.observation.leaves[0].name = "box.rest"; }));
  EXPECT_TRUE(changed([](Spec& o) { o.action.leaves[1].given = {}; }));
}

TEST(Spec, TheNumberOfValuesOfACategoricalHeadIsLayout) {
  Spec s{.name = "x"};
  s.action.leaves = {{.name = "server", .dtype = DType::i32, .low = 0, .high = 9}};
  Spec fewer = s;
  fewer.action.leaves[0].high = 3;
  EXPECT_NE(layout_hash(s), layout_hash(fewer));
}

TEST(Spec, AMetricIsFoundByItsName) {
  Spec s{.name = "x"};
  s.metrics = {{"moves", "1", true, "decisions"}, {"gain", "kg", false, "taken"}};
  EXPECT_EQ(s.metric("gain"), 1u);
  try {
    static_cast<void>(s.metric("gian"));
    FAIL() << "there is no such metric";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::unknown_name);
    EXPECT_STREQ(e.what(), "no metric 'gian'; did you mean 'gain'?");
  }
}

}  // namespace space_test
}  // namespace park
