#include "agents/kit/exploration.h"

#include "agents/kit/decide.h"

namespace park::agents {

std::optional<std::size_t> Exploration::pick(std::size_t head, ConstRow observation,
                                             ConstRow action, std::span<const std::int32_t> values,
                                             std::span<const float> scores, Rng rng) {
  if (rng.uniform() >= share_) return {};
  const std::span<const std::uint8_t> kept = rules_.kept(head, observation, action, values);
  if (kept.empty()) return {};
  places_.clear();
  scores_.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0) continue;
    places_.push_back(i);
    scores_.push_back(scores[i]);
  }
  return places_[pick_by(scores_, rng.uniform())];
}

}  // namespace park::agents
