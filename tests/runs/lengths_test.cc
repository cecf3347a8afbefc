// Which policies play where lengths of leaves differ from those of their training.
#include <gtest/gtest.h>

#include <string>

#include "park/runs/manifest.h"

namespace park::runs {
namespace lengths_test {

/// A shop with a number of counters of which one is chosen.
Spec shop(std::int64_t counters) {
  return {.name = "shop",
          .observation = {.leaves = {{.name = "queue.x2", .shape = {counters}},
                                     {.name = "counter.3", .dtype = DType::f64}}},
          .action = {.leaves = {{.name = "choice",
                                 .dtype = DType::i32,
                                 .low = 0,
                                 .high = static_cast<double>(counters - 1)}}}};
}

Manifest trained_on(std::int64_t counters, bool any_lengths) {
  Manifest m;
  m.env_name = "shop";
  m.layout = layout_lines(shop(counters));
  m.layout_hash = layout_text(shop(counters));
  m.any_lengths = any_lengths;
  return m;
}

TEST(Lengths, AreFreeWhereTheNetworkTakesAny) {
  EXPECT_TRUE(fits(trained_on(4, true), shop(7)));
  EXPECT_TRUE(fits(trained_on(4, true), shop(1)));
  EXPECT_TRUE(fits(trained_on(4, false), shop(4)));
  EXPECT_FALSE(fits(trained_on(4, false), shop(7)));
}

TEST(Lengths, OfAHeadThatHadNoChoiceAreNot) {
  EXPECT_TRUE(fits(trained_on(1, true), shop(1)));
  EXPECT_FALSE(fits(trained_on(1, true), shop(4)));
}

TEST(Lengths, NamesAndTypesStay) {
  Spec other = shop(7);
  other.observation.leaves[1].name = "counter.4";
  EXPECT_FALSE(fits(trained_on(4, true), other));
  other = shop(7);
  other.observation.leaves[0].dtype = DType::f64;
  EXPECT_FALSE(fits(trained_on(4, true), other));
  other = shop(7);
  other.observation.leaves.pop_back();
  EXPECT_FALSE(fits(trained_on(4, true), other));
}

}  // namespace lengths_test
}  // namespace park::runs
