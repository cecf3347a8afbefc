#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "park/core/space.h"
#include "park/envs/dag_scheduling/cluster_model.h"

namespace park::dag_scheduling {

inline constexpr const char* kDagSchedulingName = "dag_scheduling";

/// The bounds of its spaces.
struct DagSizes {
  double executors = 1;
  std::int64_t classes = 1;
  std::int64_t jobs = 1, stages = 1, edges = 1;  ///< at once
};

/// Observation, action and metrics of a cluster, simulated or running.
[[nodiscard]] Spec dag_spec(const DagSizes&, const DagSchedulingConfig& = {});
/// Those of the environment.
[[nodiscard]] Spec dag_scheduling_spec(const ClusterModel&);

/// Moves what the objective minimises to the front of a list with an element for each metric, where
/// the average job completion time comes first and the makespan at kMakespan: what comes first is
/// what training, tuning and comparison judge by.
inline constexpr std::size_t kMakespan = 5;
template <class List>
void objective_first(const DagSchedulingConfig& config, List& metrics) {
  const auto makespan = metrics.begin() + kMakespan;
  if (config.objective == "makespan") std::rotate(metrics.begin(), makespan, makespan + 1);
}

}  // namespace park::dag_scheduling
