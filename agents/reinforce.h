#pragma once

#include <torch/optim/adam.h>

#include <cstdint>
#include <memory>
#include <string>

#include "agents/baseline/baseline.h"
#include "agents/kit/decide.h"
#include "agents/kit/returns.h"
#include "agents/kit/training_episodes.h"
#include "park/core/registry.h"

namespace park::agents {

/// Policy gradients with whole episodes (Williams, 1992), in batches of input sequences that
/// several rollouts share (Decima, SIGCOMM 2019, algorithm 1).
struct ReinforceConfig {
  TrainingEpisodes episodes;
  ReturnOptions returns;
  std::int64_t iterations = 1000;
  double learning_rate = 2e-3;        ///< of Adam, at the start; falls linearly ...
  double final_learning_rate = 2e-4;  ///< ... to this at the end
  double entropy = 0.02;         ///< weight of the entropy at the start; falls linearly to 0 ...
  double entropy_until = 0.8;    ///< ... at this part of the iterations
  double clip_norm = 0.5;        ///< largest norm of the gradient
  std::size_t minibatch = 4096;  ///< decisions that are evaluated at once; no effect but on memory
  std::uint32_t slots = 64;      ///< environments in lockstep
};

/// What an iteration tells.
struct IterationReport {
  std::int64_t iteration = 0;
  std::uint64_t decisions = 0;  ///< of this iteration
  double mean_reward = 0;       ///< of its episodes
  double entropy = 0;           ///< nats per decision
  double gradient_norm = 0;     ///< before clipping
  double advantage_sd = 0;
};

/// Trains a network on an environment. Bit-equal from the same seed on one build and machine type.
class Reinforce {
 public:
  /// `env` is a text of the registry, which must outlive this.
  Reinforce(const Registry&, std::string env, std::shared_ptr<Network>, std::unique_ptr<Baseline>,
            const ReinforceConfig&, const Rng& run);
  [[nodiscard]] IterationReport iterate();

 private:
  [[nodiscard]] std::vector<std::vector<double>> advantages(IterationReport&);
  void learn(const std::vector<std::vector<double>>& advantages, IterationReport&);
  void add_gradient(std::span<const std::uint32_t> rows, std::span<const float> advantages,
                    double entropy_weight, IterationReport&);

  const Registry& registry_;
  std::string env_;
  Spec spec_;
  ReinforceConfig config_;
  Rng run_;
  Heads heads_;
  std::shared_ptr<Network> net_;
  std::unique_ptr<Baseline> baseline_;
  NetworkPolicy policy_;
  Trajectories trajectories_;
  Batch observation_, action_;
  torch::optim::Adam optimiser_;
  std::int64_t iteration_ = 0;
};

}  // namespace park::agents
