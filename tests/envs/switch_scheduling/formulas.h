// What theory says of switches, and means of episodes whose variance is reduced by it. The delay of
// the output-queued switch with the same cells is known exactly and moves with that of any policy.
// So its error in the episodes played is taken off (a control variate).
#pragma once

#include <string>

#include "tests/kit/estimates.h"

namespace park::test {

/// Mean delay of an output-queued switch under uniform traffic, in slots: each output gets a
/// binomial number of cells per slot, per-input arrivals or not.
inline double output_queued_delay(double ports, double load) {
  return 1 + (ports - 1) / ports * load / (2 * (1 - load));
}

/// The mean delay of a policy under uniform traffic, in slots.
inline double mean_delay_slots(const std::string& env, const std::string& policy, double ports,
                               double load, std::uint64_t episodes) {
  const Figures f = play_episodes(env, policy, episodes, [](const Decisions&, const Batch&) {});
  const double error = estimate(f.at("output_queued_delay_slots")).mean;
  return estimate(f.at("mean_delay_slots")).mean - (error - output_queued_delay(ports, load));
}

}  // namespace park::test
