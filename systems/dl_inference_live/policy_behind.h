#pragma once

#include <string>

#include "bridge/client/remote_decider.h"

namespace park::inference {

/// A server without a policy: every decision is its own.
class NoPolicy final : public Decider {
 public:
  Context open(const Episode&) override { return {}; }
  Applied decide(Context, const Outcome&, ConstRow, Row, Deadline) override {
    return Applied::fallback;
  }
  void close(Context, const Outcome&, ConstRow, std::span<const double>) override {}
};

/// The policy behind an endpoint of Park (`park serve --policy`). While it is gone a decision falls
/// back at once: a device should not idle until the deadline of each question.
class PolicyBehind final : public Decider {
 public:
  PolicyBehind(const bridge::RemotePolicyConfig& config, const Spec& spec)
      : remote_(config, spec) {}

  Context open(const Episode& e) override { return remote_.open(e); }
  Applied decide(Context c, const Outcome& since_last, ConstRow observation, Row action,
                 Deadline until) override {
    const bool gone = !remote_.trouble().empty();
    return remote_.decide(c, since_last, observation, action, gone ? Clock::now() : until);
  }
  void close(Context c, const Outcome& last, ConstRow final_observation,
             std::span<const double> metrics) override {
    remote_.close(c, last, final_observation, metrics);
  }
  [[nodiscard]] bridge::DeciderCounts counts() const { return remote_.counts(); }
  /// Why there is no policy now; empty while there is one.
  [[nodiscard]] std::string trouble() const { return remote_.trouble(); }

 private:
  bridge::RemoteDecider remote_;
};

}  // namespace park::inference
