#pragma once

#include <cstdint>
#include <vector>

#include "agents/kit/state.h"
#include "agents/kit/trajectories.h"

namespace park::agents {

/// Numbers of decisions [trajectories][steps].
using PerStep = std::vector<std::vector<double>>;

/// What is expected of the rest of an episode, so that an advantage is what was better than that.
/// Unbiased as long as it does not depend on the action (Mao et al., ICLR 2019, theorem 1).
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// A critic's value of each end [trajectories], as if the trajectory was cut off there; asked
  /// before values.
  [[nodiscard]] virtual std::vector<double> ends(const Trajectories&) { return {}; }
  /// The expected return of every decision. `returns` count from there on, the estimate at the end
  /// included.
  [[nodiscard]] virtual PerStep values(const Trajectories&, const PerStep& returns) = 0;
  /// Learns what the decisions turned out to be worth [steps], after values was asked.
  virtual void fit(const Trajectories&, const PerStep& targets) { static_cast<void>(targets); }
  /// Estimates the value of states, also of one where a trajectory was cut off, so that rewards may
  /// be summed over less than a whole episode.
  [[nodiscard]] virtual bool critic() const noexcept { return false; }
  /// Input sequences that training is to repeat for ever; 0: every iteration has new ones.
  [[nodiscard]] virtual std::uint32_t fixed_sequences() const noexcept { return 0; }
  /// Rollouts of each sequence that it cannot do without.
  [[nodiscard]] virtual std::uint32_t fewest_rollouts() const noexcept { return 1; }
  /// What lasts from one iteration to the next.
  [[nodiscard]] virtual State state() { return {}; }
};

}  // namespace park::agents
