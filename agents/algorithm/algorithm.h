#pragma once

#include <cstdint>

#include "agents/kit/state.h"
#include "park/runs/iteration_report.h"

namespace park::agents {

/// Trains a network on an environment, iteration by iteration. Bit-equal from the same seed on one
/// build and machine type. Only its state and the number of the iteration last from one iteration
/// to the next.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// Iteration number `iteration`, at a part in [0, 1) of the training, which schedules go by.
  /// Throws Error{not_finite} if a loss or gradient is not a finite number; the network is then
  /// unchanged and failed_batch has the batch.
  [[nodiscard]] virtual runs::IterationReport iterate(std::int64_t iteration, double part) = 0;
  /// Parameters and buffers of the policy network: all that acting needs.
  [[nodiscard]] virtual State policy() = 0;
  /// Other lasting state: optimisers, baselines, averages.
  [[nodiscard]] virtual State training() = 0;
  /// The tensors of the batch that failed last, for a file.
  [[nodiscard]] virtual State failed_batch() { return {}; }
};

}  // namespace park::agents
