#pragma once

#include <memory>

#include "agents/baseline/baseline.h"
#include "agents/baseline/value_function.h"

namespace park::agents {

/// 0 everywhere.
[[nodiscard]] std::unique_ptr<Baseline> make_no_baseline();

/// Decima's baseline (SIGCOMM 2019, section 5.3): the mean return of the rollouts of the same
/// inputs, at the same time of the episode. Between two decisions of a rollout its return is
/// interpolated, behind its end it is 0.
struct SequenceMeanOptions {
  /// Without the rollout itself, which makes it unbiased; false: as published.
  bool leave_one_out = true;
};
[[nodiscard]] std::unique_ptr<Baseline> make_sequence_mean(SequenceMeanOptions = {});

/// A value function of the observation.
struct ValueBaselineOptions {
  ValueOptions learning;
  /// Adds the mean of what the returns of the other rollouts of the same inputs turned out to be
  /// above their values, at the same time: what the inputs bring and no state tells.
  bool sequence_mean = false;
};
[[nodiscard]] std::unique_ptr<Baseline> make_value(const Spec&, std::shared_ptr<Network>,
                                                   const ValueBaselineOptions&, const Rng& run);

}  // namespace park::agents
