#include "agents/heuristic/simple_queue/reward_threshold.h"

namespace park::heuristics {

PolicyInfo RewardThreshold::info() {
  return {.name = "reward_threshold",
          .summary = "jobs whose reward is at least a fixed part of the highest one",
          .reference = "the threshold that ignores the state of the queue",
          .environments = {"simple_queue"}};
}

void RewardThreshold::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const double least = fraction_ * static_cast<double>(view_.highest(row));
    const bool admit =
        view_.room(row) >= 1 && static_cast<double>(row.scalar(view_.reward)) >= least;
    actions.row(i).scalar(view_.admit) = admit ? 1 : 0;
  }
}

}  // namespace park::heuristics
