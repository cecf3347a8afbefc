// What takes minutes, in the tier full: delays of all schedulers, the heavy-traffic limit, and the
// exact optimum of the switch of two ports.
#include <gtest/gtest.h>

#include "tests/envs/switch_scheduling/formulas.h"
#include "tests/envs/switch_scheduling/value_iteration.h"

namespace park::test {
namespace theory_test {

/// Figures of an independent program: 8 ports, uniform traffic, load 0.9, per-input arrivals.
TEST(DelaysLong, AreAsMeasuredElsewhere) {
  const char* env =
      "switch_scheduling(ports=8,traffic=uniform,load=0.9,arrivals=per_input,arrival_slots=20000)";
  const auto expect = [&](const char* policy, double measured) {
    EXPECT_NEAR(mean_delay_slots(env, policy, 8, 0.9, 8), measured, 0.03 * measured) << policy;
  };
  expect("maxweight", 5.56);
  expect("maxweight(alpha=0.1)", 5.11);
  expect("longest_queue", 7.90);
  expect("islip(iterations=4)", 10.9);
  expect("pim", 10.5);
  expect("random", 11.6);
}

/// S. T. Maguluri, R. Srikant, "Heavy traffic queue length behavior in a switch under the MaxWeight
/// algorithm", Stochastic Systems 6(1), 2016: (1 - load) E[cells that do not leave in their first
/// slot] tends to n - 3/2 + 1/(2 n) = 0.75 for two ports and Bernoulli arrivals per queue.
TEST(HeavyTrafficLong, MaxWeightHasItsLimit) {
  const double load = 0.99;
  const Figures f = play_episodes(
      "switch_scheduling(ports=2,load=0.99,arrivals=per_voq,arrival_slots=400000,action=weights)",
      "maxweight", 40, [](const Decisions&, const Batch&) {});
  const auto scaled = [&](double delay) { return (1 - load) * 2 * load * (delay - 1); };
  const double error = scaled(estimate(f.at("output_queued_delay_slots")).mean) -
                       scaled(output_queued_delay(2, load));
  const double found = scaled(estimate(f.at("mean_delay_slots")).mean) - 1.3 * error;
  EXPECT_NEAR(found, 0.75, 0.05 * 0.75);
}

TEST(OptimumLong, OfTwoPortsIsBelowMaxWeight) {
  const TwoPortOptimum exact(20, 0.9, 0.5);
  EXPECT_NEAR(exact.mean_cells(false, 1e-2), 5.96, 0.02);
  EXPECT_NEAR(exact.mean_cells(true, 1e-2), 6.08, 0.02);
}

}  // namespace theory_test
}  // namespace park::test
