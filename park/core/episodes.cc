#include "park/core/episodes.h"

namespace park {

Rng phase_rng(std::uint64_t seed, Phase phase) {
  const Rng run = Rng(seed).split("park run");
  switch (phase) {
    case Phase::train:
      return run.split("training");
    case Phase::validate:
      return run.split("validation");
    case Phase::evaluate:
      break;
  }
  return run.split("evaluation");
}

std::optional<Episode> RandomEpisodes::at(std::uint64_t k) const {
  if (k >= options_.count) return {};
  const std::uint64_t shared = k / options_.repeat;
  Episode e;
  e.id = k;
  e.inputs = stream_.split("inputs").split(shared).bits();
  e.dynamics = stream_.split("dynamics").split(k).bits();
  if (options_.mean_horizon_s < kInf)
    e.horizon_s = stream_.split("horizon").split(shared).exponential(options_.mean_horizon_s);
  return e;
}

FixedEpisodes::FixedEpisodes(std::vector<Episode> list) : list_(std::move(list)) {
  for (std::size_t i = 0; i < list_.size(); ++i) list_[i].id = i;
}

std::optional<Episode> FixedEpisodes::at(std::uint64_t k) const {
  if (k >= list_.size()) return {};
  return list_[k];
}

}  // namespace park
