#pragma once

#include <cstdint>
#include <vector>

#include "agents/kit/state.h"
#include "agents/kit/trajectories.h"

namespace park::agents {

/// Numbers of decisions [trajectories][steps].
using PerStep = std::vector<std::vector<double>>;

/// Estimates the expected return of the rest of an episode; an advantage is the difference to it.
/// The gradient is unbiased if the estimate does not depend on the action (Mao et al., ICLR 2019,
/// theorem 1).
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// A critic's value of each end [trajectories], as if the trajectory was cut off there; asked
  /// before values.
  [[nodiscard]] virtual std::vector<double> ends(const Trajectories&) { return {}; }
  /// The expected return of every decision. `returns` count from there on, the estimate at the end
  /// included.
  [[nodiscard]] virtual PerStep values(const Trajectories&, const PerStep& returns) = 0;
  /// Learns from the returns of the decisions [steps], after values was asked.
  virtual void fit(const Trajectories&, const PerStep& targets) { static_cast<void>(targets); }
  /// Estimates the value of states, also where a trajectory was cut off. Rewards may then be summed
  /// over less than a whole episode.
  [[nodiscard]] virtual bool critic() const noexcept { return false; }
  /// Input sequences that training is to repeat for ever; 0: every iteration has new ones.
  [[nodiscard]] virtual std::uint32_t fixed_sequences() const noexcept { return 0; }
  /// Rollouts of each sequence that it cannot do without.
  [[nodiscard]] virtual std::uint32_t fewest_rollouts() const noexcept { return 1; }
  /// State that lasts from one iteration to the next.
  [[nodiscard]] virtual State state() { return {}; }
};

}  // namespace park::agents
