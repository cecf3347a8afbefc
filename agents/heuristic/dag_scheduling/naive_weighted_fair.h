#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/heuristic/dag_scheduling/row_policy.h"
#include "agents/heuristic/dag_scheduling/weighted_share.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Shares proportional to total work (Mao et al. 2019, sec. 7.1 (4)): weighted_fair(alpha=1).
class NaiveWeightedFair final : public RowPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "naive_weighted_fair",
            .summary = "shares proportional to a job's total work",
            .reference = "Mao et al. 2019, sec. 7.1 (4)",
            .environments = {"dag_scheduling"}};
  }
  explicit NaiveWeightedFair(const Spec& spec) : RowPolicy(spec) {}

 private:
  Assignment choose(ClusterView& view, std::uint32_t) override {
    return share_.choose(view, [&](std::size_t job) { return view.pick_first(job); });
  }
  WeightedShare share_{1.0};
};

}  // namespace park::heuristics
