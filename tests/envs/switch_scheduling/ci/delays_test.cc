// Delays under uniform traffic against independent figures, and a small switch against its exact
// solution. The tier full has more of both.
#include <gtest/gtest.h>

#include <cstddef>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/switch_scheduling/arrival_process.h"
#include "park/envs/switch_scheduling/delay_figures.h"
#include "tests/envs/switch_scheduling/formulas.h"
#include "tests/envs/switch_scheduling/value_iteration.h"

namespace park::test {
namespace delays_test {

TEST(OutputQueued, HasTheDelayOfItsFormula) {
  using namespace switch_scheduling;
  ArrivalProcess arrivals(parse_config<SwitchSchedulingConfig>(parse_text("switch_scheduling")));
  arrivals.draw_from(1);
  DelayFigures figures(8);
  for (std::int64_t t = 0; t < 600'000; ++t) {
    for (const std::uint32_t voq : arrivals.draw(t)) figures.arrive(voq % 8);
    figures.pass(0, 1);
    figures.end_slot(true);
  }
  const double exact = output_queued_delay(8, 0.9);
  EXPECT_NEAR(exact, 4.9375, 1e-12);
  EXPECT_NEAR(figures.output_queued_delay_slots(), exact, 0.02 * exact);
}

TEST(Delays, OfMaxWeightAreAsMeasuredElsewhere) {
  const char* env = "switch_scheduling(ports=8,traffic=uniform,load=0.9,action=weights)";
  EXPECT_NEAR(mean_delay_slots(env, "maxweight", 8, 0.9, 3), 5.56, 0.03 * 5.56);
  EXPECT_NEAR(mean_delay_slots(env, "maxweight(alpha=0.1)", 8, 0.9, 3), 5.11, 0.03 * 5.11);
}

TEST(TwoPorts, MaxWeightHasTheCellsOfItsExactSolution) {
  const TwoPortOptimum exact(10, 0.7, 0.5);
  const double optimum = exact.mean_cells(false, 1e-3), max_weight = exact.mean_cells(true, 1e-3);
  EXPECT_LT(optimum, max_weight);
  EXPECT_LT(max_weight, 1.05 * optimum);
  const char* env = "switch_scheduling(ports=2,load=0.7,action=weights,arrival_slots=20000)";
  const double delay = mean_delay_slots(env, "maxweight", 2, 0.7, 4);
  EXPECT_NEAR(delay * 0.7 * 2, max_weight, 0.01 * max_weight);
}

}  // namespace delays_test
}  // namespace park::test
