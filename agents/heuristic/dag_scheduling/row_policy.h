#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/heuristic/dag_scheduling/cluster_view.h"
#include "park/core/policy.h"

namespace park::heuristics {

/// A policy for dag_scheduling that answers row by row.
class RowPolicy : public Policy {
 public:
  void act(const Decisions& d, Batch& actions) final {
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      view_.look(d.observation.row(i));
      view_.write(choose(view_, d.asked[i].slot), actions.row(i));
    }
  }

 protected:
  explicit RowPolicy(const Spec& spec) : view_(spec) {}
  /// The answer to the row in view. `slot`: for policies that remember.
  virtual Assignment choose(ClusterView&, std::uint32_t slot) = 0;

 private:
  ClusterView view_;
};

}  // namespace park::heuristics
