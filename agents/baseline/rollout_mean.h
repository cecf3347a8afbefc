#pragma once

#include "agents/baseline/baseline.h"

namespace park::agents {

/// The mean of what the rollouts of the same inputs have at the same time of the episode. Between
/// two decisions of a rollout its numbers are interpolated, behind its end they are 0.
/// leave_one_out: without the rollout itself.
[[nodiscard]] PerStep rollout_mean(const Trajectories&, const PerStep& numbers, bool leave_one_out);

}  // namespace park::agents
