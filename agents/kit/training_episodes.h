#pragma once

#include <cstdint>

#include "park/core/episodes.h"

namespace park::agents {

/// The episodes of one iteration of training: `sequences` input sequences with `rollouts` episodes
/// each, a pure function of the run's stream and the iteration. With share_dynamics the rollouts of
/// a sequence share all chance but that of their actions, which takes the noise of task durations
/// out of their differences; it is as exogenous as the arrivals are.
struct TrainingEpisodes {
  std::uint32_t sequences = 8, rollouts = 8;
  bool share_dynamics = true;
  double mean_horizon_s = kInf;  ///< of the memoryless horizon, one per sequence

  [[nodiscard]] FixedEpisodes of(const Rng& run, std::uint64_t iteration) const;
};

}  // namespace park::agents
