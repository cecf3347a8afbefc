// Published tasks with proven optima: the search is exact, meets the published human baseline and
// optimum, and a record beyond it is refused on the command line.
#include "examples/plugins/cpp/static_placement.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/kit/scratch_folder.h"
#include "tests/kit/subprocess.h"

namespace static_placement {
namespace static_placement_test {

double cost_of(const Case& one, const Plan& plan) {
  std::vector<double> size(one.bins, 0), load(one.bins, 0);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    size[plan[i]] += one.items[i].size;
    load[plan[i]] += one.items[i].load;
  }
  double worst = 0;
  for (std::size_t b = 0; b < one.bins; ++b) worst = std::max(worst, one.cost(size[b], load[b]));
  return worst;
}

/// The least cost of all plans.
double by_hand(const Case& one, Plan& plan, std::size_t k) {
  if (k == one.items.size()) {
    std::vector<double> size(one.bins, 0);
    for (std::size_t i = 0; i < k; ++i) size[plan[i]] += one.items[i].size;
    const bool fits = std::ranges::all_of(size, [&](double s) { return s <= one.capacity; });
    return fits ? cost_of(one, plan) : 1e9;
  }
  double best = 1e9;
  for (plan[k] = 0; plan[k] < one.bins; ++plan[k]) best = std::min(best, by_hand(one, plan, k + 1));
  return best;
}

TEST(StaticPlacement, TheSearchIsExact) {
  for (std::uint64_t t = 0; t < 8; ++t) {
    park::Rng draw(t);
    Case one{.bins = 3, .capacity = t % 2 == 0 ? 80.0 : 3.0, .over_free = t % 2 == 0};
    for (int i = 0; i < 7; ++i) {
      const double size = t % 2 == 0 ? 10 + static_cast<double>(draw.below(20)) : 1;
      one.items.push_back({size, 0.2 + draw.uniform()});
    }
    Plan plan(one.items.size());
    EXPECT_NEAR(ExactSearch(one).cost(), by_hand(one, plan, 0), 1e-9);
    EXPECT_DOUBLE_EQ(cost_of(one, ExactSearch(one).plan()), ExactSearch(one).cost());
  }
}

TEST(StaticPlacement, MeetsThePublishedBaselineAndTheOptimum) {
  double greedy = 0, best = 0;
  for (const Case& one : draw_cases({.cases = "published"}, 0)) {
    greedy += cost_of(one, greedy_plan(one));
    best += ExactSearch(one).cost();
  }
  EXPECT_NEAR(1 + kCases / greedy, 21.89, 0.005);
  EXPECT_NEAR(1 + kCases / best, 26.256, 0.0005);
}

TEST(StaticPlacement, AnImpossibleRecordIsRefused) {
  const park::test::ScratchFolder folder("static-placement");
  const std::string file = folder.file("mine.expr");
  park::test::write_text(file, "bin = -bin.load / (bin.capacity - bin.size + 0.001)\n");
  const auto verdict = [&](const std::string& env, const std::vector<std::string>& claim) {
    std::vector<std::string> words{"judge",    file,    "--plugin", PARK_STATIC_PLACEMENT,
                                   "--env",    env,     "--set",    "validation",
                                   "--inputs", "1",     "--rivals", "greedy_load",
                                   "--bound",  "exact", "--json"};
    words.insert(words.end(), claim.begin(), claim.end());
    const park::cli::Finished done = park::cli::run_park(words);
    EXPECT_EQ(done.code, 0) << done.err;
    const std::string key = "\"verdict\": \"";
    const auto at = done.out.find(key) + key.size();
    return done.out.substr(at, done.out.find('"', at) - at);
  };
  EXPECT_EQ(verdict("static_placement(task=experts)", {}), "valid");
  EXPECT_EQ(verdict("static_placement(cases=published)", {"--claim", "26.25"}), "valid");
  EXPECT_EQ(verdict("static_placement(cases=published)", {"--claim", "30.52"}), "above_bound");
}

}  // namespace static_placement_test
}  // namespace static_placement
