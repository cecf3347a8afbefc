#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "agents/net/cluster/graph_levels.h"

namespace park::agents {

/// Jobs of the states of B clusters: stages with features, and what waits for what.
struct JobRows {
  at::Tensor features;                                               // [S, F] of the stages
  std::span<const std::int64_t> first_stage, first_job, first_edge;  // [B + 1]
  std::span<const std::int32_t> job;                // [S] of a stage, within the row
  std::span<const std::int32_t> parents, children;  // [edges] within the row
  std::span<const std::uint8_t> marks;              // [S] something else that tells stages apart
};

/// Jobs that are equal in features, marks and dependencies, each once. A decision changes few jobs,
/// and rollouts of the same inputs begin with the same jobs. A batch therefore holds most of its
/// jobs many times. Values that depend on one job alone are computed once.
struct JobGraphs {
  std::vector<std::int64_t> job;    ///< [J] of every job: which of the different ones it is
  std::vector<std::int64_t> stage;  ///< [S] of every stage: its place among those of the latter
  std::vector<std::int64_t> representative;  ///< [U] of every different stage: one of the equal
  std::vector<std::int64_t> job_of;          ///< [U] of every different stage: its job
  std::int64_t jobs = 0;                     ///< different ones
  GraphLevelsPtr levels;                     ///< levels of the different jobs
};
[[nodiscard]] JobGraphs job_graphs(const JobRows&);

}  // namespace park::agents
