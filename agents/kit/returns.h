#pragma once

#include <vector>

#include "agents/kit/trajectories.h"

namespace park::agents {

/// How returns of an episode are summed from each of its decisions on [steps].
struct ReturnOptions {
  /// Continuous discounting at this rate beta per second. A reward that falls evenly over an
  /// interval of d seconds counts (1 - exp(-beta d)) / (beta d) of itself at its start. That is
  /// exact if the reward is a rate that is constant between decisions; otherwise it approximates
  /// within the interval. Minus the number of jobs in the system is such a rate between arrivals
  /// and completions. 0: none.
  double discount_rate = 0;
  /// Average reward: this much per second is taken off every reward. 0: none.
  double reward_rate = 0;
};

/// Sums of rewards to the end of the trajectory, which has the value `end`. 0 is right for an
/// episode that terminated. It is also right for a memoryless horizon, whose truncation is part of
/// the objective.
[[nodiscard]] std::vector<double> returns_of(const Trajectory&, const ReturnOptions& = {},
                                             double end = 0);

/// Generalised advantage estimation (Schulman et al., ICLR 2016, equation 16). An advantage is the
/// sum of the temporal-difference errors of the values [steps + 1], each weighted by lambda for
/// every decision in between. The last value is that of the end. With lambda 1 the result is
/// returns_of, plus the value of the end, minus the values.
[[nodiscard]] std::vector<double> advantages_of(const Trajectory&,
                                                const std::vector<double>& values, double lambda,
                                                const ReturnOptions& = {});

}  // namespace park::agents
