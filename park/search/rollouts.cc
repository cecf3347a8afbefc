#include "park/search/rollouts.h"

#include <utility>

#include "park/core/error.h"

namespace park::search {

Rollouts::Rollouts(const Spec& spec, Policy& policy)
    : policy_(policy),
      space_(spec),
      decisions_now_(spec),
      decisions_next_(spec),
      actions_(spec.action) {}

bool Rollouts::step(std::size_t i, RolloutStart& start, ConstRow action, double horizon_s) {
  const Outcome o = start.env->step(action, decisions_next_.observation.append());
  const double left_s = horizon_s - elapsed_s_[i];
  const bool beyond = o.elapsed_s > left_s;
  returns_[i] += beyond ? o.reward * (left_s / o.elapsed_s) : o.reward;
  elapsed_s_[i] += o.elapsed_s;
  const bool over = o.end != End::none || elapsed_s_[i] >= horizon_s;
  if (over) {
    decisions_next_.observation.pop();
    start.env.reset();
    return false;
  }
  decisions_next_.asked.push_back({.slot = static_cast<std::uint32_t>(i),
                                   .context = start.episode.id,
                                   .sequence = ++start.sequence,
                                   .episode = start.episode,
                                   .since_last = o});
  return true;
}

std::span<const double> Rollouts::play(std::span<RolloutStart> starts, double horizon_s) {
  elapsed_s_.assign(starts.size(), 0);
  returns_.assign(starts.size(), 0);
  decisions_next_.clear();
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (step(i, starts[i], starts[i].action, horizon_s))
      policy_.start(static_cast<std::uint32_t>(i), starts[i].episode, starts[i].chance);
  while (!decisions_next_.asked.empty()) {
    std::swap(decisions_now_, decisions_next_);
    decisions_next_.clear();
    actions_.clear();
    actions_.resize(decisions_now_.asked.size());
    policy_.act(decisions_now_, actions_);
    decisions_ += actions_.rows();
    for (std::size_t row = 0; row < decisions_now_.asked.size(); ++row) {
      const std::size_t i = decisions_now_.asked[row].slot;
      const ConstRow answer = std::as_const(actions_).row(row);
      if (!space_.legal(decisions_now_.observation.row(row), answer))
        throw Error(Errc::illegal_action, "the policy of a roll-out gives an illegal action");
      step(i, starts[i], answer, horizon_s);
    }
  }
  return returns_;
}

}  // namespace park::search
