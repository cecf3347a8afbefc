#pragma once

#include "agents/heuristic/simple_queue/queue_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Admits every job; one that finds neither a server nor a place is lost. In the language of loss
/// systems: complete sharing.
class AdmitAll final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit AdmitAll(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  QueueView view_;
};

}  // namespace park::heuristics
