#include "park/core/space.h"

#include <gtest/gtest.h>

#include <string>

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
