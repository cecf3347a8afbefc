#pragma once

#include <memory>

#include "agents/baseline/value_function.h"
#include "agents/kit/baseline.h"

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

/// One value function of observation and time for each of a fixed set of input sequences, which
/// training then repeats for ever; each learns from its own sequence alone (Mao et al., ICLR 2019,
/// section 5).
[[nodiscard]] std::unique_ptr<Baseline> make_multi_value(
    const Spec&, const std::vector<std::shared_ptr<Network>>&, const ValueOptions&, const Rng& run);

/// Learns a value function of observation and time that adapts to an input sequence by some
/// gradient steps (Mao et al., ICLR 2019, algorithm 1, by MAML). Weights adapted on the first half
/// of a sequence's rollouts score the second half and the other way round, so that none is scored
/// by weights adapted on itself. Values and times count in the units of the half that was adapted
/// on. One meta step per iteration, along the mean gradient of all cross losses.
struct MetaOptions {
  double learning_rate = 1e-3;  ///< of the meta step's Adam
  /// Part of its mean error around each time that the function of the time loses in an inner step.
  double inner_learning_rate = 0.8;
  double inner_network_rate = 0;  ///< of the network of the observation; 0: sequences share it
  std::uint32_t inner_steps = 1;
  bool first_order = false;  ///< without the second derivatives of the inner loss
  bool operator==(const MetaOptions&) const = default;
};
[[nodiscard]] std::unique_ptr<Baseline> make_meta(const Spec&, std::shared_ptr<Network>,
                                                  const MetaOptions&);
/// Rollouts of a sequence that it needs.
inline constexpr std::uint32_t kMetaRollouts = 2;

}  // namespace park::agents
