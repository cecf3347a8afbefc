#include "agents/kit/network_policy.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <limits>
#include <utility>

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
  const Pick pick = [&](std::size_t row, std::size_t head, std::span<const std::int32_t> values,
                        std::span<const float> scores) {
    if (!sample_) return pick_largest(scores);
    Rng rng = draw(row, head);
    if (exploration_ != nullptr)
      if (const auto tried =
              exploration_->pick(head, d.observation.row(row), std::as_const(actions).row(row),
                                 values, scores, rng.split("exploration")))
        return *tried;
    return pick_by(scores, rng.uniform());
  };
  const Noise noise = [&](std::size_t row, std::size_t head, std::size_t component) {
    return sample_ ? static_cast<float>(draw(row, head).split(component).normal()) : 0.0f;
  };
  log_probs_.resize(sample_ ? d.asked.size() : 0);
  decide(*net_, heads_, d.observation, actions, pick, noise, log_probs_);
}

// The network scores those that it tells apart; of values that mean the same it takes only one.
bool NetworkPolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                           Candidates& candidates, std::vector<float>& scores) {
  if (heads_[head].kind == HeadKind::continuous) return false;
  const c10::NoGradGuard off;
  heads_.candidates(head, observation, actions, candidates);
  scores.assign(candidates.size(), -std::numeric_limits<float>::infinity());
  const std::unique_ptr<Encoding> encoding = net_->encode(observation);
  narrowed_ = candidates;
  net_->narrow(*encoding, head, actions, narrowed_);
  at::Tensor of_narrowed;
  if (!narrowed_.forced())
    of_narrowed = net_->scores(*encoding, head, narrowed_, actions).contiguous();
  const float* const z = of_narrowed.defined() ? of_narrowed.data_ptr<float>() : nullptr;
  for (std::size_t r = 0; r < candidates.rows(); ++r) {
    std::int64_t at = candidates.offsets[r];
    for (std::int64_t k = narrowed_.offsets[r]; k < narrowed_.offsets[r + 1]; ++k, ++at) {
      while (candidates.value[static_cast<std::size_t>(at)] !=
             narrowed_.value[static_cast<std::size_t>(k)])
        ++at;
      scores[static_cast<std::size_t>(at)] = z == nullptr ? 0 : z[k];
    }
  }
  return true;
}

}  // namespace park::agents
