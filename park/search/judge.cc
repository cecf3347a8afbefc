#include "park/search/judge.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "park/core/error.h"
#include "park/core/futures.h"

namespace park::search {

Judge::Judge(const Spec& spec, Policy& policy, const JudgePlan& plan)
    : plan_(plan),
      futures_(plan.clairvoyant ? 1 : plan.futures),
      alternatives_(spec, policy),
      rollouts_(spec, policy),
      candidates_(spec.action),
      seen_(spec.observation) {}

std::unique_ptr<Env> Judge::copy_of(const Env& env, const Rng& rng, std::uint32_t future) const {
  auto copy = plan_.clairvoyant ? env.clone()
                                : clone_with_future(env, rng.split("futures").split(future).bits());
  if (!copy) throw Error(Errc::unavailable, "the environment gives no copy to look ahead with");
  return copy;
}

/// Steps every candidate once: one that does the same as another before it is out of the running.
void Judge::drop_equal(const Env& env, const Rng& rng) {
  alive_.clear();
  seen_.clear();
  std::vector<Outcome> outcomes;
  for (std::size_t c = 0; c < candidates_.rows(); ++c) {
    const auto copy = copy_of(env, rng, 0);
    const Outcome o = copy->step(std::as_const(candidates_).row(c), seen_.append());
    bool equal = false;
    for (std::size_t k = 0; k < outcomes.size() && !equal; ++k)
      equal = outcomes[k] == o &&
              same_row(std::as_const(seen_).row(k), std::as_const(seen_).row(seen_.rows() - 1));
    if (equal) {
      seen_.pop();
      continue;
    }
    outcomes.push_back(o);
    alive_.push_back(c);
  }
}

void Judge::play(const Env& env, const Ask& ask, const Rng& rng, std::uint32_t first,
                 std::uint32_t last) {
  std::vector<RolloutStart> starts;
  for (const std::size_t c : alive_)
    for (std::uint32_t f = first; f < last; ++f)
      starts.push_back({.env = copy_of(env, rng, f),
                        .action = std::as_const(candidates_).row(c),
                        .episode = ask.episode,
                        .sequence = ask.sequence,
                        .chance = plan_.clairvoyant ? rng : rng.split("chance").split(f)});
  const std::span<const double> all = rollouts_.play(starts, plan_.horizon_s);
  std::size_t at = 0;
  for (const std::size_t c : alive_)
    for (std::uint32_t f = first; f < last; ++f) returns_[c].push_back(all[at++]);
}

double Judge::mean_gain(std::size_t candidate) const {
  const std::size_t n = returns_[candidate].size();
  double sum = 0;
  for (std::size_t f = 0; f < n; ++f) sum += returns_[candidate][f] - returns_[0][f];
  return sum / static_cast<double>(n);
}

/// Of the others; the own action stays.
void Judge::keep_better_half() {
  std::ranges::stable_sort(alive_.begin() + 1, alive_.end(), [&](std::size_t a, std::size_t b) {
    return mean_gain(a) > mean_gain(b);
  });
  alive_.resize(1 + alive_.size() / 2);
}

Judgement Judge::result() const {
  Judgement best;
  for (const std::size_t c : alive_)
    if (const double gain = mean_gain(c); gain > best.gain) best = {.best = c, .gain = gain};
  if (best.best == 0) return best;
  const auto n = static_cast<double>(returns_[0].size());
  double squares = 0;
  for (std::size_t f = 0; f < returns_[0].size(); ++f)
    squares += std::pow(returns_[best.best][f] - returns_[0][f] - best.gain, 2);
  best.t = n < 2 || squares == 0 ? kInf : best.gain / std::sqrt(squares / (n - 1) / n);
  if (best.t > plan_.least_t) return best;
  return {};
}

Judgement Judge::judge(const Env& env, const Ask& ask, ConstRow observation, ConstRow action,
                       const Rng& rng) {
  const Rng of_decision = rng.split("look").split(ask.sequence);
  alternatives_.propose(ask, observation, action, plan_.candidates, of_decision, candidates_);
  returns_.assign(candidates_.rows(), {});
  // What the policy would draw from here on is what it draws in the episode, if the future is.
  const Rng& chance = plan_.clairvoyant ? rng : of_decision;
  drop_equal(env, chance);
  if (alive_.size() == 1) return {};
  const std::uint32_t half = std::max(1u, futures_ / 2);
  play(env, ask, chance, 0, half);
  if (half < futures_) {
    keep_better_half();
    play(env, ask, chance, half, futures_);
  }
  return result();
}

}  // namespace park::search
