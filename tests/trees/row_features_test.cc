// Derived features of whole rows: the same values as a situation's, for every row of a batch, and only
// of what a row alone has.
#include "park/trees/row_features.h"

#include <gtest/gtest.h>

#include <vector>

#include "park/trees/features.h"
#include "tests/kit/memory.h"
#include "tests/trees/depot.h"

namespace park::trees {
namespace row_features_test {

using test::Depot;

FeatureHints hints() {
  return parse_feature_hints(
      "without more\nfeature more = 1 + depot.free\n"
      "feature room = log(more) - depot.past[1] / depot.past[0]\n"
      "feature heavy = owner.weight * 2\n"  // of an element
      "feature fast = desk.speed\n"         // of a candidate
      "feature open = #candidates\n"        // of the legal values
      "feature all = max(parcels#count, 0) - desk.speed#sum\n"
      "feature nothing = depot.past[1] / depot.past[1]\n",
      "hints");
}

TEST(RowFeatures, AreTheDerivedOnesOfARowAlone) {
  const Depot depot;
  RowFeatures some(depot.spec, hints());
  ASSERT_EQ(some.width(), 3u);
  std::vector<float> out(4, -1);
  some.compute(depot.observation, out.data(), 4);
  Features situation(
      depot.spec, depot.heads, {.kind = Level::Kind::situation},
      {parse_expression("room"), parse_expression("all"), parse_expression("nothing")},
      hints().features);
  situation.compute(depot.row(), depot.chosen(), {});
  for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(out[f], situation[0][f]) << f;
  EXPECT_FLOAT_EQ(out[0], 1.9459101f);  // log 7
  EXPECT_EQ(out[1], -2);                // 5 parcels, speeds 1 + 4 + 2
  EXPECT_EQ(out[2], 0);                 // 0 / 0
  EXPECT_EQ(out[3], -1);                // beyond the features
}

TEST(RowFeatures, AreToldFromOthersByTheirChecksum) {
  const Depot depot;
  const auto of = [&](const std::string& text) {
    return RowFeatures(depot.spec, parse_feature_hints(text, "hints")).checksum();
  };
  EXPECT_EQ(of("feature a = 1 + depot.free\n"), of("# a comment\nfeature a = 1+depot.free\n"));
  EXPECT_NE(of("feature a = depot.free\n"), of("feature a = depot.free + 1\n"));
  EXPECT_NE(of("feature a = depot.free\n"), of("feature b = depot.free\n"));
  EXPECT_NE(of("feature a = depot.free\n"), of("without a\nfeature a = depot.free\n"));
}

TEST(RowFeatures, EachRowHasItsOwn) {
  Depot depot;
  Row second = depot.observation.append();
  for (const char* group : {"parcels", "owners"}) second.resize(depot.observation.group(group), 1);
  for (std::size_t c = 0; c < depot.observation.columns(); ++c)
    std::ranges::fill(depot.observation.bytes(c, 1, 1), std::byte{0});
  second[depot.observation.field<float>("depot.free")][0] = 1;
  second[depot.observation.field<float>("depot.past")][0] = 4;
  RowFeatures some(depot.spec, hints());
  std::vector<float> out(6);
  some.compute(depot.observation, out.data(), 3);
  EXPECT_FLOAT_EQ(out[3], 0.6931472f);
  EXPECT_EQ(out[4], 1);
  const test::AllocationCount allocations;
  some.compute(depot.observation, out.data(), 3);
  EXPECT_EQ(allocations.count(), 0u);
}

}  // namespace row_features_test
}  // namespace park::trees
