#pragma once

#include "agents/heuristic/simple_queue/queue_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct RewardThresholdConfig {
  double fraction = 0.5;

  bool operator==(const RewardThresholdConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("fraction", c.fraction,
          FieldDoc{.doc = "least reward of a job that is admitted, as a part of the highest one",
                   .min = 0,
                   .max = 1,
                   .tune = "0:1:0.05"});
  }
};

/// Admits the classes whose reward is high enough, whatever the servers do: a static priority
/// threshold, which the state-dependent one of optimal_admission is compared with.
class RewardThreshold final : public Policy {
 public:
  using Config = RewardThresholdConfig;
  [[nodiscard]] static PolicyInfo info();
  RewardThreshold(const Config& c, const Spec& spec) : view_(spec), fraction_(c.fraction) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  QueueView view_;
  double fraction_;
};

}  // namespace park::heuristics
