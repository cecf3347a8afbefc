#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/env.h"
#include "park/core/policy.h"
#include "park/core/rng.h"
#include "park/core/stream.h"

namespace park::search {

/// Where a roll-out begins.
struct RolloutStart {
  std::unique_ptr<Env> env;    ///< at a decision
  ConstRow action;             ///< its first one
  Episode episode;             ///< as the policy is told
  std::uint64_t sequence = 0;  ///< of that decision
  Rng chance{};                ///< of the policy's draws
};

/// Plays many copies of an environment on, in step, so that the policy answers all of them at once
/// and a network computes on batches.
///
/// The policy is told of the start of an episode, and gets the rows from the second one on. One that
/// remembers earlier rows of the episode begins anew in a roll-out.
class Rollouts {
 public:
  /// The policy outlives it. It uses the slots 0, 1, ... of the policy.
  Rollouts(const Spec&, Policy& policy);

  /// The sum of the rewards of each start up to the end of its episode, or within `horizon_s`
  /// seconds. A step that ends after them counts in part. Takes the environments. REQUIRES
  /// that the rows of actions stay as they are and are legal. Throws Error{illegal_action} where
  /// an answer of the policy is not: environments take legal ones for granted.
  std::span<const double> play(std::span<RolloutStart> starts, double horizon_s = kInf);

  /// Decisions of the policy so far.
  [[nodiscard]] std::uint64_t decisions() const noexcept { return decisions_; }

 private:
  /// One step; true where the roll-out continues.
  bool step(std::size_t i, RolloutStart&, ConstRow action, double horizon_s);

  Policy& policy_;
  ActionSpace space_;
  Decisions decisions_now_, decisions_next_;
  Batch actions_;
  std::vector<double> elapsed_s_;
  std::vector<double> returns_;
  std::uint64_t decisions_ = 0;
};

}  // namespace park::search
