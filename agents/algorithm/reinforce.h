#pragma once

#include <memory>

#include "agents/kit/training.h"

namespace park::agents {

struct ReinforceConfig : TrainingConfig {
  static constexpr const char* kName = "reinforce";
};

/// Policy gradients with whole episodes (Williams, Machine Learning 1992), in batches of input
/// sequences that several rollouts share (Decima, SIGCOMM 2019, algorithm 1). One step per
/// iteration. The end of a trajectory counts as worth 0, also at a memoryless horizon.
[[nodiscard]] std::unique_ptr<Algorithm> make_reinforce(Task, const ReinforceConfig&);

}  // namespace park::agents
