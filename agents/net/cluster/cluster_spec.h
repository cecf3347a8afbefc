#pragma once

#include "park/core/space.h"

namespace park::agents {

// Whom the networks of this folder are for.

/// In words.
inline constexpr const char* kClusters = "dag_scheduling and its twin";

/// Whether it is one of them: they have stages of jobs, executors and their classes.
[[nodiscard]] inline bool is_cluster(const Spec& spec) {
  constexpr const char* kCluster = "dag_scheduling";
  return spec.name == kCluster || spec.traits.twin == kCluster;
}

}  // namespace park::agents
