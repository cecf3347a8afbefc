#pragma once

#include <cstdint>

#include "park/core/episodes.h"

namespace park::agents {

/// The episodes of one iteration of training: `sequences` input sequences with `rollouts` episodes
/// each, a pure function of the run's stream and the iteration. With share_dynamics the rollouts of
/// a sequence share all randomness but that of their actions. Their differences then have no noise
/// of task durations, which is as exogenous as the arrivals are.
struct TrainingEpisodes {
  std::uint32_t sequences = 8, rollouts = 8;
  bool share_dynamics = true;
  /// Mean of the memoryless horizon, one per sequence, drawn in every iteration; inf: none.
  double mean_horizon_s = kInf;
  /// The sequences are drawn from this many, without putting back until all were taken; 0: new
  /// ones in every iteration.
  std::uint32_t fixed = 0;

  [[nodiscard]] FixedEpisodes of(const Rng& run, std::uint64_t iteration) const;
};

/// Episode.inputs of a fixed sequence.
[[nodiscard]] std::uint64_t fixed_inputs(const Rng& run, std::uint32_t sequence);

/// A curriculum (Decima, SIGCOMM 2019, section 5.3): the mean of the memoryless horizon grows
/// geometrically during the first part of a training. Early iterations then do not see the endless
/// queues of a poor policy.
struct HorizonGrowth {
  double first_s = kInf;  ///< at the start; inf: no curriculum
  double last_s = kInf;   ///< at the part `until`; inf: the environment's own
  double until = 0.5;     ///< from there on it is the environment's own

  /// At a part in [0, 1) of the training, for an environment whose own mean is own_s.
  [[nodiscard]] double mean_s(double own_s, double part) const;
};

}  // namespace park::agents
