// Heads are chosen one after the other for all rows of a batch, since scores of later heads depend on
// the earlier ones.
#include "park/trees/mixed_policy.h"

#include <algorithm>
#include <utility>

#include "park/core/error.h"

namespace park::trees {

MixedPolicy::MixedPolicy(const Spec& spec, Policy& first, Policy& second,
                         std::vector<bool> by_second)
    : heads_(spec), first_(first), second_(second), by_second_(std::move(by_second)) {}

void MixedPolicy::act(const Decisions& d, Batch& actions) {
  for (std::size_t h = 0; h < heads_.size(); ++h) choose(h, d.observation, actions);
}

void MixedPolicy::choose(std::size_t head, const Batch& observation, Batch& actions) {
  const bool forced = heads_[head].kind == HeadKind::categorical && heads_[head].values == 1;
  Policy& policy = by_second_[head] ? second_ : first_;
  if (forced) {
    heads_.candidates(head, observation, actions, candidates_);
    scores_.assign(candidates_.size(), 0);
  } else if (!policy.scores(observation, head, actions, candidates_, scores_)) {
    throw Error(Errc::unavailable, "a policy has no scores for head '" + heads_[head].name +
                                       "', so heads cannot be mixed");
  }
  for (std::size_t r = 0; r < candidates_.rows(); ++r) {
    const auto begin = scores_.begin() + candidates_.offsets[r];
    const auto best = std::max_element(begin, begin + candidates_.count(r));
    heads_.set(actions.row(r), head,
               candidates_.value[static_cast<std::size_t>(best - scores_.begin())]);
  }
}

std::vector<std::size_t> heads_with_choice(const Heads& heads) {
  std::vector<std::size_t> all;
  for (std::size_t h = 0; h < heads.size(); ++h)
    if (heads[h].kind != HeadKind::categorical || heads[h].values > 1) all.push_back(h);
  return all;
}

}  // namespace park::trees
