#pragma once

#include <optional>

#include "agents/heuristic/simple_queue/admission_model.h"
#include "agents/heuristic/simple_queue/queue_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Admits a job if its reward is at least what its presence costs later jobs: the policy with the
/// best average reward, a threshold of jobs in the system per class. Exact for slotted arrivals
/// with geometric service and for Poisson arrivals with exponential service; other service times
/// are taken for memoryless ones of the same mean. What it has to know stands in the observation.
/// Source: B. Miller, "A queueing reward system with several customer classes", Management Science
/// 16(3), 1969; with a waiting room and a cost of waiting P. Naor, "The regulation of queue size by
/// levying tolls", Econometrica 37(1), 1969 (its social optimum).
class OptimalAdmission final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit OptimalAdmission(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  [[nodiscard]] AdmissionModel model_of(ConstRow) const;

  QueueView view_;
  AdmissionModel model_;
  std::optional<AdmissionSolution> solution_;  // of model_
};

}  // namespace park::heuristics
