#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "park/core/policy.h"

namespace park::cli {

/// A policy, and how long its decisions take by the wall clock.
class TimedPolicy final : public Policy {
 public:
  explicit TimedPolicy(Policy& policy) : policy_(policy) {}

  void start(std::uint32_t slot, const Episode& episode, Rng rng) override {
    policy_.start(slot, episode, rng);
  }
  void act(const Decisions& d, Batch& actions) override {
    const auto begin = std::chrono::steady_clock::now();
    policy_.act(d, actions);
    spent_ += std::chrono::steady_clock::now() - begin;
    decisions_ += d.asked.size();
  }
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates& candidates, std::vector<float>& scores) override {
    return policy_.scores(observation, head, actions, candidates, scores);
  }
  [[nodiscard]] std::uint32_t most_slots() const noexcept override { return policy_.most_slots(); }
  [[nodiscard]] bool may_wait() const noexcept override { return policy_.may_wait(); }

  /// The mean over all decisions; 0 before the first one.
  [[nodiscard]] double decision_us() const {
    const double us = std::chrono::duration<double, std::micro>(spent_).count();
    return decisions_ == 0 ? 0 : us / static_cast<double>(decisions_);
  }

 private:
  Policy& policy_;
  std::chrono::steady_clock::duration spent_{};
  std::uint64_t decisions_ = 0;
};

}  // namespace park::cli
