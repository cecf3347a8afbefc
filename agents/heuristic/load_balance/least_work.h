#pragma once

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// The server with the least work left, in units of work, so without regard to its rate; the lowest
/// index among equals. With equal rates this serves jobs in the same order as one queue for all
/// servers, and that order is optimal among those that ignore sizes: D. J. Daley, "Certain
/// optimality properties of the first-come first-served discipline for G/G/s queues", Stoch. Proc.
/// Appl. 25, 1987.
class LeastWork final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit LeastWork(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  ServerView view_;
};

}  // namespace park::heuristics
