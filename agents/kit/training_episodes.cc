#include "agents/kit/training_episodes.h"

#include <cmath>
#include <vector>

namespace park::agents {

FixedEpisodes TrainingEpisodes::of(const Rng& run, std::uint64_t iteration) const {
  std::vector<Episode> all;
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const Rng sequence = run.split("episodes").split(iteration).split(s);
    Episode e;
    e.inputs = sequence.split("inputs").bits();
    if (std::isfinite(mean_horizon_s))
      e.horizon_s = sequence.split("horizon").exponential(mean_horizon_s);
    for (std::uint32_t r = 0; r < rollouts; ++r) {
      e.dynamics = sequence.split("dynamics").split(share_dynamics ? 0 : r).bits();
      all.push_back(e);
    }
  }
  return FixedEpisodes(std::move(all));
}

}  // namespace park::agents
