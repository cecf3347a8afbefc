#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/net/cluster/job_graphs.h"
#include "agents/net/mlp.h"
#include "park/core/batch.h"
#include "park/core/rng.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::agents {

/// Embeddings of the stages of jobs by one graph layer, and their means over each job. They depend
/// on the job alone, not on what a decision offers, so that equal jobs are embedded once. A stage
/// has the features tasks left, their mean duration and work, and part of the tasks left. Others
/// are executors at work and on their way, and whether it may run.
class StageEmbedding : public torch::nn::Module {
 public:
  /// Throws Error{invalid_space} if the observation is not that of a cluster.
  StageEmbedding(const Spec&, std::int64_t size, bool durations, const Rng&);

  struct Result {
    JobGraphs graphs;
    at::Tensor stage, job;  // [different stages, size], [different jobs, size]
  };
  [[nodiscard]] Result of(const Batch&) const;
  /// Embeddings of stages or jobs by their places in the batch: [n, size].
  [[nodiscard]] static at::Tensor of_stages(const Result&, const std::vector<std::int64_t>& stages);
  [[nodiscard]] static at::Tensor of_jobs(const Result&, const std::vector<std::int64_t>& jobs);

 private:
  static constexpr std::int64_t kFeatures = 7;
  [[nodiscard]] at::Tensor features(const Batch&) const;

  bool durations_;
  std::int64_t size_;
  dag_scheduling::DagLayout layout_;
  std::shared_ptr<Mlp> prepare_, message_, update_;
};

}  // namespace park::agents
