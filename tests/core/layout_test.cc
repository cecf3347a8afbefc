// Layouts: what members declare, members as handles of rows, and binding to a received spec, with
// every kind of mismatch.
#include "park/core/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace park {
namespace layout_test {

/// Shelves of boxes: what every kind of member declares.
struct ShelfLayout : Layout {
  using Layout::Layout;
  explicit ShelfLayout(std::int64_t colours, std::int64_t capacity)
      : most(capacity), colour{colours} {}

  std::int64_t most = 0;
  Axis colour;
  GroupOf boxes{observation, "boxes", most};
  LeafOf<float> content{
      boxes, "box.content", {.shape = {colour}, .low = -1, .high = 9, .unit = "kg", .doc = "left"}};
  LeafOf<std::int32_t> next{boxes, "box.next", {.doc = "the one behind", .index_of = "boxes"}};
  LeafOf<double> time_s{observation, "time_s", {.high = 1e6, .unit = "s", .doc = "clock"}};
  LeafOf<float> wanted{observation, "wanted", {.shape = {2, colour}, .high = 9, .doc = "wishes"}};
  LeafOf<float> seen{observation, "info.seen", {.high = 1, .doc = "for people"}};
  LeafOf<std::int32_t> box{action, "box", {.doc = "which", .index_of = "boxes"}};
  LeafOf<std::int32_t> amount{action, "amount", {.low = 1, .high = 9, .doc = "", .given = {"box"}}};
  MetricOf moves{metrics, "moves", {.doc = "decisions"}};
  MetricOf gain{metrics, "gain", {.unit = "kg", .lower_is_better = false, .doc = "taken"}};
};

Spec shelf() { return ShelfLayout(3, 16).spec({.name = "shelf", .summary = "s"}); }

std::string problem(const Spec& spec) {
  try {
    static_cast<void>(bind_layout<ShelfLayout>(spec));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_space);
    return e.what();
  }
  return "";
}

TEST(Layout, MembersAreDeclaredInTheirOrder) {
  const Spec s = shelf();
  EXPECT_EQ(s.name, "shelf");
  ASSERT_EQ(s.observation.leaves.size(), 5u);
  EXPECT_EQ(s.observation.groups.at(0).name, "boxes");
  EXPECT_EQ(s.observation.groups.at(0).capacity, 16);
  const Leaf& content = s.observation.leaves[0];
  EXPECT_EQ(content.name, "box.content");
  EXPECT_EQ(content.dtype, DType::f32);
  EXPECT_EQ(content.shape, std::vector<std::int64_t>{3});
  EXPECT_EQ(content.low, -1);
  EXPECT_EQ(content.high, 9);
  EXPECT_EQ(content.unit, "kg");
  EXPECT_EQ(content.doc, "left");
  EXPECT_EQ(content.group, "boxes");
  EXPECT_EQ(s.observation.leaves[1].index_of, "boxes");
  EXPECT_EQ(s.observation.leaves[1].high, 15) << "the last element of the group";
  EXPECT_EQ(s.observation.leaves[2].dtype, DType::f64);
  EXPECT_EQ(s.observation.leaves[3].shape, (std::vector<std::int64_t>{2, 3}));
  ASSERT_EQ(s.action.leaves.size(), 2u);
  EXPECT_EQ(s.action.leaves[0].high, 15);
  EXPECT_EQ(s.action.leaves[1].given, std::vector<std::string>{"box"});
  ASSERT_EQ(s.metrics.size(), 2u);
  EXPECT_TRUE(s.metrics[0].lower_is_better);
  EXPECT_FALSE(s.metrics[1].lower_is_better);
  EXPECT_EQ(s.metrics[1].unit, "kg");
}

TEST(Layout, MembersAreTheHandlesOfRows) {
  const ShelfLayout l(3, 16);
  const auto copy = std::make_unique<const ShelfLayout>(l);
  Batch observation(l.spec().observation), action(l.spec().action);
  const Row row = observation.append();
  row.resize(copy->boxes, 2);
  row[copy->content][5] = 7;
  row.scalar(l.time_s) = 4;
  row[l.wanted][5] = 2;
  action.append().scalar(l.amount) = 8;
  EXPECT_EQ(row.count(l.boxes), 2u);
  EXPECT_EQ(row[observation.field<float>("box.content")][5], 7);
  EXPECT_EQ(row.scalar(observation.field<double>("time_s")), 4);
  EXPECT_EQ(row[observation.field<float>("wanted")][5], 2);
  EXPECT_EQ(action.row(0).scalar(action.field<std::int32_t>("amount")), 8);
  std::vector<double> figures(2);
  figures[l.gain] = 3;
  EXPECT_EQ(figures, (std::vector<double>{0, 3}));
}

TEST(Layout, BindsByNameWhateverTheOrderAndTheLengths) {
  Spec other = ShelfLayout(5, 2).spec({.name = "twin"});
  std::ranges::reverse(other.observation.leaves);
  std::ranges::reverse(other.action.leaves);
  std::ranges::reverse(other.metrics);
  other.observation.groups.insert(other.observation.groups.begin(), Group{"lamps", 1});
  const auto l = bind_layout<ShelfLayout>(other);
  const Batch observation(other.observation);
  EXPECT_EQ(l.colour.size, 5);
  EXPECT_EQ(GroupId(l.boxes).id, observation.group("boxes").id);
  const auto content = observation.field<float>("box.content");
  EXPECT_EQ(l.content.column, content.column);
  EXPECT_EQ(l.content.width, 5u);
  EXPECT_EQ(l.content.group, content.group);
  EXPECT_EQ(l.amount.column, 0u);
  EXPECT_EQ(l.moves, 1u);
}

TEST(Layout, NamesAllThatAReceivedSpecLacks) {
  EXPECT_EQ(problem(shelf()), "");
  Spec other = shelf();
  std::erase_if(other.observation.leaves, [](const Leaf& l) { return l.name == "time_s"; });
  std::erase_if(other.action.leaves, [](const Leaf& l) { return l.name == "amount"; });
  EXPECT_EQ(problem(other),
            "spec shelf: observation leaf 'time_s' is missing\n"
            "spec shelf: action leaf 'amount' is missing");
}

TEST(Layout, NamesWhatHasAnotherForm) {
  Spec other = shelf();
  other.observation.leaves[0].dtype = DType::f64;
  other.observation.leaves[1].index_of = "";
  other.observation.leaves[2].shape = {4};
  other.observation.leaves[3].group = "boxes";
  EXPECT_EQ(problem(other),
            "spec shelf: observation leaf 'box.content' is f64[3] in boxes, not f32[*] in boxes\n"
            "spec shelf: observation leaf 'box.next' is i32 in boxes, not i32 in boxes, an index "
            "of boxes\n"
            "spec shelf: observation leaf 'time_s' is f64[4], not f64\n"
            "spec shelf: observation leaf 'wanted' is f32[2,3] in boxes, not f32[2,*]");
}

TEST(Layout, LeavesOfOneAxisHaveOneLength) {
  Spec other = shelf();
  other.observation.leaves[3].shape = {2, 4};
  EXPECT_EQ(problem(other),
            "spec shelf: observation leaf 'wanted' is f32[2,4], not f32[2,3] like 'box.content'");
}

TEST(Layout, BoundsLieWithinTheDeclaredOnes) {
  Spec other = shelf();
  other.observation.leaves[0].low = 0;
  other.observation.leaves[0].high = 4;
  other.observation.leaves[1].high = 1e6;  // rows bound an index
  other.observation.leaves[4].high = 1e6;  // nobody reads it
  EXPECT_EQ(problem(other), "");
  other.observation.leaves[0].low = -2;
  other.observation.leaves[3].high = 10;
  EXPECT_EQ(problem(other),
            "spec shelf: observation leaf 'box.content' is bounded by [-2, 4], not within [-1, 9]\n"
            "spec shelf: observation leaf 'wanted' is bounded by [0, 10], not within [0, 9]");
}

TEST(Layout, AHeadHasTheDeclaredBoundsUnlessRowsGiveItsRange) {
  Spec other = shelf();
  other.action.leaves[1].high = 8;
  EXPECT_EQ(problem(other), "spec shelf: action leaf 'amount' is bounded by [1, 8], not by [1, 9]");
  other.observation.leaves.push_back({.name = "amount.min"});
  EXPECT_EQ(problem(other), "");
  other.action.leaves[1].high = 10;
  EXPECT_EQ(problem(other),
            "spec shelf: action leaf 'amount' is bounded by [1, 10], not within [1, 9]");
}

TEST(Layout, NamesAMissingGroup) {
  Spec other = shelf();
  other.observation.groups[0].name = "bags";
  EXPECT_EQ(problem(other), "spec shelf: observation group 'boxes' is missing");
}

TEST(Layout, MetricsAndLeavesForPeopleMayBeMissing) {
  Spec other = shelf();
  other.metrics.clear();
  std::erase_if(other.observation.leaves, &Leaf::informative);
  EXPECT_EQ(problem(other), "");
}

}  // namespace layout_test
}  // namespace park
