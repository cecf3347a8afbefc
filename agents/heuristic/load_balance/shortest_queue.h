#pragma once

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// The server with the fewest jobs, the one in service counted; the lowest index among equals.
/// Optimal for equal servers and exponential sizes when only the numbers of jobs are known:
/// W. Winston, "Optimality of the shortest line discipline", J. Appl. Prob. 14, 1977.
class ShortestQueue final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit ShortestQueue(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  ServerView view_;
};

}  // namespace park::heuristics
