#include "agents/kit/network_policy.h"

namespace park::agents {

void NetworkPolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= rng_.size()) rng_.resize(slot + 1);
  rng_[slot] = rng;
}

void NetworkPolicy::act(const Decisions& d, Batch& actions) {
  const auto draw = [&](std::size_t row, std::size_t head) {
    const Ask& ask = d.asked[row];
    return rng_[ask.slot].split(ask.sequence).split(head);
  };
  const Pick pick = [&](std::size_t row, std::size_t head, std::span<const float> scores) {
    return sample_ ? pick_by(scores, draw(row, head).uniform()) : pick_largest(scores);
  };
  const Noise noise = [&](std::size_t row, std::size_t head, std::size_t component) {
    return sample_ ? static_cast<float>(draw(row, head).split(component).normal()) : 0.0f;
  };
  log_probs_.resize(sample_ ? d.asked.size() : 0);
  decide(*net_, heads_, d.observation, actions, pick, noise, log_probs_);
}

}  // namespace park::agents
