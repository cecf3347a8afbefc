#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/kit/trajectories.h"

namespace park::agents {

/// What is expected of the rest of an episode, so that an advantage is what was better than that.
/// Unbiased as long as it does not depend on the action (Mao et al., ICLR 2019, theorem 1).
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// Of every decision of every trajectory, given the returns from there on [trajectories][steps].
  [[nodiscard]] virtual std::vector<std::vector<double>> values(
      const Trajectories&, const std::vector<std::vector<double>>& returns) = 0;
};

/// Decima's baseline (SIGCOMM 2019, section 5.3): the mean return of the rollouts of the same
/// inputs, at the same time of the episode. Between two decisions of a rollout its return is
/// interpolated, behind its end it is 0.
struct SequenceMeanOptions {
  /// Without the rollout itself, which makes it unbiased; false: as published.
  bool leave_one_out = true;
};
[[nodiscard]] std::unique_ptr<Baseline> make_sequence_mean(SequenceMeanOptions = {});

}  // namespace park::agents
