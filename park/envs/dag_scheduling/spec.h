#pragma once

#include "park/core/space.h"
#include "park/envs/dag_scheduling/cluster_model.h"

namespace park::envs {

inline constexpr const char* kDagSchedulingName = "dag_scheduling";

/// Observation, action and metrics of the environment.
[[nodiscard]] Spec dag_scheduling_spec(const ClusterModel&);

}  // namespace park::envs
