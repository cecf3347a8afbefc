#include "agents/kit/training_episodes.h"

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace park::agents {
namespace {

Rng fixed_rng(const Rng& run, std::uint32_t sequence) {
  return run.split("fixed sequences").split(sequence);
}

}  // namespace

FixedEpisodes TrainingEpisodes::of(const Rng& run, std::uint64_t iteration) const {
  const Rng rng = run.split("episodes").split(iteration);
  std::vector<std::uint32_t> order(fixed);
  std::iota(order.begin(), order.end(), 0u);
  Rng shuffle = rng.split("order");
  shuffle.shuffle(std::span(order));
  std::vector<Episode> all;
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const Rng sequence = rng.split(s);
    const Rng given = fixed > 0 ? fixed_rng(run, order[s % fixed]) : sequence;
    Episode e;
    e.inputs = given.split("inputs").bits();
    if (std::isfinite(mean_horizon_s))
      e.horizon_s = sequence.split("horizon").exponential(mean_horizon_s);
    for (std::uint32_t r = 0; r < rollouts; ++r) {
      e.dynamics = share_dynamics ? given.split("dynamics").split(0).bits()
                                  : sequence.split("dynamics").split(r).bits();
      all.push_back(e);
    }
  }
  return FixedEpisodes(std::move(all));
}

std::uint64_t fixed_inputs(const Rng& run, std::uint32_t sequence) {
  return fixed_rng(run, sequence).split("inputs").bits();
}

double HorizonGrowth::mean_s(double own_s, double part) const {
  if (std::isinf(first_s) || part >= until) return own_s;
  return first_s * std::pow((std::isinf(last_s) ? own_s : last_s) / first_s, part / until);
}

}  // namespace park::agents
