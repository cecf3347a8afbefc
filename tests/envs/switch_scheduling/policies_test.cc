// Schedulers: their throughput where theory knows it, and single decisions against their rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/kit/estimates.h"

namespace park::test {
namespace policies_test {

double throughput(const std::string& fields, const std::string& policy) {
  const Figures f = play_episodes("switch_scheduling(ports=8,load=0.99," + fields + ")", policy, 2,
                                  [](const Decisions&, const Batch&) {});
  return estimate(f.at("throughput")).mean;
}

/// With every queue full, an output of PIM is granted to one of 8 inputs at random, so that an input
/// gets a grant with probability 1 - (7/8)^8 = 0.656 (Anderson et al. 1993, section 3.2).
TEST(Pim, OneIterationSaturatesAtItsFormula) {
  const std::string fields = "arrivals=per_voq,arrival_slots=6000,idle=true,action=weights";
  EXPECT_NEAR(throughput(fields, "pim(iterations=1)"), 1 - std::pow(7.0 / 8, 8), 0.01);
}

/// The pointers of iSLIP move apart: one iteration then serves uniform traffic fully (McKeown 1999,
/// section II.C).
TEST(Islip, OneIterationServesUniformTraffic) {
  const std::string fields = "arrivals=per_voq,arrival_slots=6000,idle=true,action=weights";
  EXPECT_GT(throughput(fields, "islip(iterations=1)"), 0.95);
}

/// Every decision of a policy against what its rule says of the row.
template <class Rule>
void expect_rule(const std::string& env, const std::string& policy, Rule&& rule) {
  std::size_t seen = 0;
  play_episodes(env, policy, 1, [&](const Decisions& d, const Batch& actions) {
    for (std::size_t k = 0; k < d.asked.size(); ++k) {
      const ConstRow row = d.observation.row(k);
      const auto mask = row[d.observation.field<std::uint8_t>("mask.pair")];
      const auto queue = row[d.observation.field<float>("voq.queue")];
      const auto chosen =
          static_cast<std::size_t>(actions.row(k).scalar(actions.field<std::int32_t>("pair")));
      if (row.scalar(d.observation.field<float>("switch.cells")) > 0)
        rule(row, mask, queue, chosen), ++seen;
    }
  });
  EXPECT_GT(seen, 300u);
}

/// The longest queue of all is in every matching: where it is unique, it has been chosen when its
/// slot ends.
TEST(LongestQueue, ServesTheLongestOfAll) {
  const std::string env = "switch_scheduling(ports=3,arrival_slots=300,load=0.95,arrivals=per_voq)";
  std::size_t longest = 9;  // of the slot that goes on; 9: none, or not unique
  bool served = true;
  expect_rule(env, "longest_queue", [&](ConstRow row, auto, auto queue, std::size_t chosen) {
    if (row.scalar(row.batch().template field<float>("slot.matched")) == 0) {
      EXPECT_TRUE(served || longest == 9);
      const auto most = std::ranges::max_element(queue.begin(), queue.begin() + 9);
      const bool unique = std::count(queue.begin(), queue.begin() + 9, *most) == 1;
      longest = unique ? static_cast<std::size_t>(most - queue.begin()) : 9;
      served = false;
    }
    served = served || chosen == longest;
  });
}

/// With two ports there are two matchings.
TEST(HeaviestPolicies, TakeTheHeavierOfTwo) {
  const auto rule_of = [](const std::string& leaf, double alpha, double more = 0) {
    return [leaf, alpha, more](ConstRow row, auto, auto queue, std::size_t chosen) {
      if (row.scalar(row.batch().template field<float>("slot.matched")) > 0) return;
      const auto values = row[row.batch().template field<float>(leaf)];
      const auto w = [&](std::size_t v) {
        return queue[v] > 0 ? std::pow(static_cast<double>(values[v]) + more, alpha) : 0.0;
      };
      const double straight = w(0) + w(3), crossed = w(1) + w(2);
      const bool is_straight = chosen == 0 || chosen == 3;
      if (std::abs(straight - crossed) > 1e-6) {
        EXPECT_EQ(is_straight, straight > crossed);
      }
    };
  };
  const std::string env = "switch_scheduling(ports=2,arrival_slots=400,load=0.95,arrivals=per_voq)";
  expect_rule(env, "maxweight", rule_of("voq.queue", 1));
  expect_rule(env, "maxweight(alpha=0.5)", rule_of("voq.queue", 0.5));
  expect_rule(env, "maxweight(alpha=0)", rule_of("voq.queue", 0));
  expect_rule(env, "oldest_cell", rule_of("voq.age", 1, 1));
}

/// Both forms of the action have the same matchings where a policy's own are maximal.
TEST(Policies, PlayBothFormsAlike) {
  const std::string env = "switch_scheduling(ports=6,arrival_slots=500,load=0.9,traffic=diagonal";
  for (const char* policy : {"maxweight(alpha=0.1)", "maxweight(alpha=0.5)", "oldest_cell",
                             "longest_queue", "islip(iterations=6)"}) {
    const auto none = [](const Decisions&, const Batch&) {};
    const Figures pairs = play_episodes(env + ")", policy, 2, none),
                  weights = play_episodes(env + ",action=weights)", policy, 2, none);
    EXPECT_EQ(pairs, weights) << policy;
  }
}

}  // namespace policies_test
}  // namespace park::test
