#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "park/core/policy.h"
#include "park/core/system_env.h"

namespace park::inference {

/// A policy in the server's own process, on the thread of the device: no way is shorter. A policy
/// that throws, or answers after the deadline, leaves the decision to the server. One context.
class PolicyInside final : public Decider {
 public:
  PolicyInside(std::unique_ptr<Policy> policy, const Spec& spec)
      : policy_(std::move(policy)), question_(spec), actions_(spec.action) {}

  Context open(const Episode& episode) override {
    episode_ = episode;
    sequence_ = 0;
    return {.slot = 0, .id = 1};
  }
  Applied decide(Context context, const Outcome& since_last, ConstRow observation, Row action,
                 Deadline until) override {
    question_.clear();
    question_.asked.push_back({.slot = context.slot,
                               .context = context.id,
                               .sequence = sequence_,
                               .episode = episode_,
                               .since_last = since_last});
    question_.observation.append(observation.batch(), observation.index());
    actions_.clear();
    actions_.resize(1);
    try {
      if (sequence_++ == 0) policy_->start(context.slot, episode_, Rng(1));
      policy_->act(question_, actions_);
    } catch (const std::exception&) {
      return Applied::fallback;  // the server counts it
    }
    if (Clock::now() > until) return Applied::fallback;
    action.assign(std::as_const(actions_).row(0));
    return Applied::policy;
  }
  void close(Context, const Outcome&, ConstRow, std::span<const double>) override {}

 private:
  std::unique_ptr<Policy> policy_;
  Decisions question_;
  Batch actions_;
  Episode episode_{};
  std::uint64_t sequence_ = 0;
};

}  // namespace park::inference
