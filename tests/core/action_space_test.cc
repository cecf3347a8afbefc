#include "park/core/action_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "tests/core/toy.h"

namespace park {
namespace action_space_test {

class Choosing : public testing::Test {
 protected:
  Choosing() : space_(spec_), obs_(spec_.observation), act_(spec_.action) {
    Row r = obs_.append();
    r.resize(obs_.group("boxes"), 4);
    set<std::int32_t>(r, "box.content", {2, 0, 5, 1});
    set<std::uint8_t>(r, "mask.box", {1, 0, 1, 0});
    set<std::int32_t>(r, "amount.min", {1, 0, 3, 1});
    set<std::int32_t>(r, "amount.max", {2, 0, 5, 1});
    act_.resize(1);
  }
  template <class T>
  void set(Row r, const char* name, std::initializer_list<T> values) {
    std::ranges::copy(values, r[obs_.field<T>(name)].begin());
  }
  Row action(int box, int amount) {
    act_.row(0).scalar(act_.field<std::int32_t>("box")) = box;
    act_.row(0).scalar(act_.field<std::int32_t>("amount")) = amount;
    return act_.row(0);
  }
  std::pair<int, int> values() {
    return {act_.row(0).scalar(act_.field<std::int32_t>("box")),
            act_.row(0).scalar(act_.field<std::int32_t>("amount"))};
  }
  [[nodiscard]] ConstRow obs() const { return obs_.row(0); }

  Spec spec_ = test::Boxes::spec();
  ActionSpace space_;
  Batch obs_, act_;
};

TEST_F(Choosing, LegalityFollowsMasksAndConditionalRanges) {
  EXPECT_TRUE(space_.legal(obs(), action(0, 2)));
  EXPECT_FALSE(space_.legal(obs(), action(0, 3)));
  EXPECT_TRUE(space_.legal(obs(), action(2, 3)));
  EXPECT_FALSE(space_.legal(obs(), action(2, 2)));
  EXPECT_FALSE(space_.legal(obs(), action(1, 0)));
  EXPECT_FALSE(space_.legal(obs(), action(-1, 1)));
  EXPECT_FALSE(space_.legal(obs(), action(4, 1)));
  EXPECT_FALSE(space_.legal(obs(), action(std::numeric_limits<int>::max(), 1)));
}

TEST_F(Choosing, ProjectionIsTheNearestLegalAndLeavesLegalAlone) {
  EXPECT_FALSE(space_.project(obs(), action(2, 4)));
  EXPECT_EQ(values(), std::pair(2, 4));
  EXPECT_TRUE(space_.project(obs(), action(3, 9)));
  EXPECT_EQ(values(), std::pair(2, 5));
  EXPECT_TRUE(space_.project(obs(), action(-7, -7)));
  EXPECT_EQ(values(), std::pair(0, 1));
}

TEST_F(Choosing, SamplesUniformlyOverWhatIsLegal) {
  std::map<std::pair<int, int>, int> seen;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    Rng rng(i);
    space_.sample(obs(), act_.row(0), rng);
    ++seen[values()];
  }
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_NEAR((seen[{0, 1}]), 1500, 5 * std::sqrt(6000 * 0.25 * 0.75));
  EXPECT_NEAR((seen[{2, 5}]), 1000, 5 * std::sqrt(1000));
}

TEST_F(Choosing, NothingLegalIsAnError) {
  set<std::uint8_t>(obs_.row(0), "mask.box", {0, 0, 0, 0});
  Rng rng(1);
  EXPECT_THROW(space_.sample(obs(), act_.row(0), rng), Error);
  EXPECT_THROW(space_.project(obs(), action(0, 1)), Error);
  EXPECT_TRUE(space_.choice(0, obs(), act_.row(0)).empty());
}

TEST_F(Choosing, ARangeThatIsEmptyIsAnError) {
  set<std::int32_t>(obs_.row(0), "amount.min", {9, 9, 9, 9});
  set<std::int32_t>(obs_.row(0), "amount.max", {1, 1, 1, 1});
  Rng rng(1);
  EXPECT_THROW(space_.sample(obs(), act_.row(0), rng), Error);
  EXPECT_THROW(space_.project(obs(), action(0, 5)), Error);
}

TEST_F(Choosing, AHeadWithoutALegalValueIsStuck) {
  EXPECT_EQ(space_.stuck_head(obs()), std::nullopt);
  set<std::int32_t>(obs_.row(0), "amount.max", {2, -7, 5, 99});  // boxes 1 and 3 are closed
  EXPECT_EQ(space_.stuck_head(obs()), std::nullopt);
  set<std::int32_t>(obs_.row(0), "amount.max", {2, 0, 2, 1});
  EXPECT_EQ(space_.stuck_head(obs()), 1u) << "the range of box 2 is empty";
  set<std::int32_t>(obs_.row(0), "amount.max", {2, 0, 10, 1});
  EXPECT_EQ(space_.stuck_head(obs()), 1u) << "that of box 2 is beyond the bounds of the head";
  set<std::uint8_t>(obs_.row(0), "mask.box", {0, 0, 0, 0});
  EXPECT_EQ(space_.stuck_head(obs()), 0u);
}

TEST_F(Choosing, RulesForIllegalActions) {
  EXPECT_THROW(admit(Illegal::error, space_, obs(), action(1, 1)), Error);
  EXPECT_FALSE(admit(Illegal::unchecked, space_, obs(), action(1, 1)));
  EXPECT_TRUE(admit(Illegal::project, space_, obs(), action(1, 1)));
  EXPECT_FALSE(admit(Illegal::error, space_, obs(), action(2, 3)));
}

TEST(ContinuousHead, IsClampedAndNanIsIllegal) {
  Spec s{.name = "x", .summary = "x", .reference = "x"};
  s.action.leaves = {{.name = "rate", .shape = {2}, .low = -1, .high = 1, .doc = "rate"}};
  const ActionSpace space(s);
  Batch obs(s.observation), act(s.action);
  obs.append();
  act.resize(1);
  auto rate = act.row(0)[act.field<float>("rate")];
  rate[0] = std::nanf("");
  rate[1] = 3;
  EXPECT_FALSE(space.legal(std::as_const(obs).row(0), std::as_const(act).row(0)));
  EXPECT_TRUE(space.project(std::as_const(obs).row(0), act.row(0)));
  EXPECT_EQ(rate[0], -1);
  EXPECT_EQ(rate[1], 1);
  Rng rng(2);
  space.sample(std::as_const(obs).row(0), act.row(0), rng);
  EXPECT_TRUE(space.legal(std::as_const(obs).row(0), std::as_const(act).row(0)));
}

}  // namespace action_space_test
}  // namespace park
