#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agents/kit/network_policy.h"
#include "agents/kit/rollout.h"
#include "park/core/stream.h"

namespace park::agents {

/// A decision of a trajectory and what followed until the next one.
struct Step {
  std::uint32_t row = 0;  ///< number in the rollout
  double time_s = 0;      ///< time of the episode when the decision was taken
  double reward = 0, elapsed_s = 0;
  float log_prob = 0;    ///< log-probability of the action under the policy that took it
  bool credited = true;  ///< the policy's own, and no question went by (Outcome)
};

/// An episode as it was played.
struct Trajectory {
  Episode episode;
  std::vector<Step> steps;
  End end = End::none;
  std::uint32_t final_row = 0;  ///< number in the rollout of the final observation
  std::vector<double> metrics;
  [[nodiscard]] double end_s() const noexcept {
    return steps.empty() ? 0 : steps.back().time_s + steps.back().elapsed_s;
  }
};

/// Trajectories of the same inputs together, as places in the list; sequences in order of first
/// appearance.
[[nodiscard]] std::vector<std::vector<std::size_t>> by_sequence(const std::vector<Trajectory>&);

/// Whole episodes of a stream: observations, actions and outcomes.
class Trajectories {
 public:
  explicit Trajectories(const Spec& spec)
      : observations_(spec.observation), actions_(spec.action) {}

  /// Plays the stream to its end and keeps everything, behind what was kept before. The streams'
  /// specs have one layout, and rows of each fit the spec of this.
  void add(Stream&, NetworkPolicy&, const Rng& run);
  /// Forgets all.
  void clear();
  /// Multiplies the rewards of all[i].
  void scale_rewards(std::size_t i, double factor);
  /// As add, played by a driver, or by the teacher where there is none. The actions that are kept
  /// are the teacher's answers, whoever plays, and their log-probabilities are 0.
  void demonstrate(Stream&, Policy& teacher, Policy* driver, const Rng& run);

  /// The trajectories in the order of the episodes' numbers.
  [[nodiscard]] const std::vector<Trajectory>& all() const noexcept { return all_; }
  [[nodiscard]] const Rollout& observations() const noexcept { return observations_; }
  [[nodiscard]] const Batch& actions() const noexcept { return actions_; }
  /// Number of decisions in all trajectories.
  [[nodiscard]] std::size_t decisions() const noexcept { return decisions_; }

 protected:
  void set(std::vector<Trajectory> all) { all_ = std::move(all); }

 private:
  void in_order(std::size_t first);
  void begin(const Ask&);
  void keep(const Decisions&, const Batch& actions, std::span<const float> log_probs);
  void keep_final(const Decisions&);

  Rollout observations_;
  Batch actions_;  // [rows of observations_]; zero where nothing was asked
  std::size_t decisions_ = 0;
  std::vector<Trajectory> all_, open_;  // open_: [slots]
};

}  // namespace park::agents
