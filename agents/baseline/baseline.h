#pragma once

#include <vector>

#include "agents/algorithm.h"
#include "agents/kit/trajectories.h"

namespace park::agents {

/// Numbers of decisions [trajectories][steps], or with one more of the end [steps + 1].
using PerStep = std::vector<std::vector<double>>;

/// What is expected of the rest of an episode, so that an advantage is what was better than that.
/// Unbiased as long as it does not depend on the action (Mao et al., ICLR 2019, theorem 1).
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// Of every decision of every trajectory and of its end [steps + 1], given the returns from there
  /// on [steps]. The end of an episode that terminated is worth 0.
  [[nodiscard]] virtual PerStep values(const Trajectories&, const PerStep& returns) = 0;
  /// Learns what the decisions turned out to be worth [steps], after values was asked.
  virtual void fit(const Trajectories&, const PerStep& targets) { static_cast<void>(targets); }
  /// Estimates the value of states, also of one where a trajectory was cut off, so that rewards may
  /// be summed over less than a whole episode.
  [[nodiscard]] virtual bool critic() const noexcept { return false; }
  /// What lasts from one iteration to the next.
  [[nodiscard]] virtual State state() { return {}; }
};

}  // namespace park::agents
