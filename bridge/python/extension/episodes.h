#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "park/core/episodes.h"

namespace park::python {

/// Each slot has a seed of its own, as Gymnasium requires. Its episodes are those of a run with
/// that seed, from number `first` on, for any number of slots.
class SlotEpisodes final : public EpisodeSource {
 public:
  SlotEpisodes(const std::vector<std::uint64_t>& seeds, Phase phase, double mean_horizon_s,
               std::uint64_t first)
      : first_(first) {
    for (const std::uint64_t seed : seeds)
      runs_.emplace_back(phase_rng(seed, phase),
                         RandomEpisodesOptions{.mean_horizon_s = mean_horizon_s});
  }
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override {
    std::optional<Episode> e = runs_[k % runs_.size()].at(first_ + k / runs_.size());
    if (e) e->id = first_ * runs_.size() + k;
    return e;
  }

 private:
  std::vector<RandomEpisodes> runs_;
  std::uint64_t first_;
};

}  // namespace park::python
