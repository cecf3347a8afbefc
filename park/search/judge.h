#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/policy.h"
#include "park/core/rng.h"
#include "park/search/alternatives.h"
#include "park/search/rollouts.h"

namespace park::search {

/// How decisions are judged.
struct JudgePlan {
  std::uint32_t candidates = 16;  ///< actions that are compared, the policy's own included
  std::uint32_t futures = 8;      ///< that each of them is played in
  bool clairvoyant = false;       ///< in the one that will come instead
  double horizon_s = kInf;        ///< of a roll-out
  double least_t = 1.5;           ///< another action counts as better from this t on
};

/// What came out.
struct Judgement {
  std::size_t best = 0;  ///< the row of the best candidate; 0: the policy's own action
  double gain = 0;       ///< by how much its mean return is higher than that of the own action
  double t = 0;          ///< the gain over its standard error; inf where there is one future
};

/// Judges the actions of a policy by one step of policy improvement, a rollout. Source: Bertsekas,
/// Tsitsiklis and Wu, Rollout Algorithms for Combinatorial Optimization, J. of Heuristics 3, 1997.
/// Candidates are played in the same futures, first each one, and by the policy after that. All see
/// half of the futures, and the better half of them the rest. Candidates that lead to the same row
/// and reward are one.
class Judge {
 public:
  /// The policy outlives it, and is used by nobody else.
  Judge(const Spec&, Policy&, const JudgePlan&);

  /// REQUIRES an environment at the row, and a legal action. The generator is that of the run and
  /// the episode. Throws Error{unavailable} where the environment gives no copy of the kind.
  Judgement judge(const Env&, const Ask&, ConstRow observation, ConstRow action, const Rng&);

  /// Those of the last call: row 0 is the policy's own action.
  [[nodiscard]] const Batch& candidates() const noexcept { return candidates_; }
  /// Decisions in roll-outs so far.
  [[nodiscard]] std::uint64_t decisions() const noexcept { return rollouts_.decisions(); }

 private:
  [[nodiscard]] std::unique_ptr<Env> copy_of(const Env&, const Rng&, std::uint32_t future) const;
  void drop_equal(const Env&, const Rng&);
  void play(const Env&, const Ask&, const Rng&, std::uint32_t first, std::uint32_t last);
  void keep_better_half();
  [[nodiscard]] double mean_gain(std::size_t candidate) const;
  [[nodiscard]] Judgement result() const;

  JudgePlan plan_;
  std::uint32_t futures_;
  Alternatives alternatives_;
  Rollouts rollouts_;
  Batch candidates_, seen_;
  std::vector<std::size_t> alive_;            // candidates in the running; the own one is first
  std::vector<std::vector<double>> returns_;  // [candidates][futures played]
};

}  // namespace park::search
