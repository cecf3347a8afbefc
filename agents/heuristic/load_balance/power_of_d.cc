#include "agents/heuristic/load_balance/power_of_d.h"

#include <algorithm>

namespace park::heuristics {

PolicyInfo PowerOfD::info() {
  return {.name = "power_of_d",
          .summary = "the server with the fewest jobs among d drawn at random",
          .reference = "Mitzenmacher, The power of two choices in randomized load balancing, 2001",
          .environments = {"load_balance"}};
}

PowerOfD::PowerOfD(const Config& c, const Spec& spec)
    : view_(spec), d_(std::min(static_cast<std::size_t>(c.d), view_.servers)) {
  choices_.reserve(d_);
}

void PowerOfD::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= rng_.size()) rng_.resize(slot + 1);
  rng_[slot] = rng;
}

/// R. Floyd's sample without replacement: d draws, whatever comes out.
void PowerOfD::draw(Rng& rng) {
  choices_.clear();
  for (std::size_t top = view_.servers - d_; top < view_.servers; ++top) {
    const std::size_t pick = rng.below(top + 1);
    const bool taken = std::ranges::find(choices_, pick) != choices_.end();
    choices_.push_back(taken ? top : pick);
  }
  std::ranges::sort(choices_);
}

void PowerOfD::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    Rng rng = rng_[d.asked[i].slot].split(d.asked[i].sequence);
    draw(rng);
    const std::span<const float> jobs = d.observation.row(i)[view_.jobs];
    const std::size_t best =
        *std::ranges::min_element(choices_, {}, [&](std::size_t server) { return jobs[server]; });
    actions.row(i).scalar(view_.server) = static_cast<std::int32_t>(best);
  }
}

}  // namespace park::heuristics
