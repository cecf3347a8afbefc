#pragma once

#include <vector>

#include "park/core/candidates.h"
#include "park/core/policy.h"
#include "park/core/space.h"

namespace park::trees {

/// Takes each head of an action from one of two policies: the value that this one scores highest after
/// the earlier heads, whoever chose them. Shows which heads of a student cost what.
class MixedPolicy final : public Policy {
 public:
  /// `by_second` [heads]: whether the second policy chooses. Both policies outlive this one.
  MixedPolicy(const Spec&, Policy& first, Policy& second, std::vector<bool> by_second);

  /// Throws Error{unavailable} in one line where a policy has no scores for a head of several values.
  void act(const Decisions&, Batch& actions) override;

 private:
  void choose(std::size_t head, const Batch& observation, Batch& actions);

  Heads heads_;
  Policy& first_;
  Policy& second_;
  std::vector<bool> by_second_;
  Candidates candidates_;
  std::vector<float> scores_;
};

/// The heads with more than one value, by their places in the action. A mixture of policies differs
/// from both where there are two or more.
[[nodiscard]] std::vector<std::size_t> heads_with_choice(const Heads&);

}  // namespace park::trees
