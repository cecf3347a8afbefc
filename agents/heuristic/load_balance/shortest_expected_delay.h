#pragma once

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// The server that would complete the job first: the smallest drain time + size / rate, so the
/// greedy choice for the response time of this job. The lowest index among equals. The name follows
/// S. A. Banawan and N. M. Zeidat, "A comparative study of load sharing in heterogeneous
/// multicomputer systems", 1992; sizes are known here, so the delay is exact.
class ShortestExpectedDelay final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit ShortestExpectedDelay(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  ServerView view_;
};

}  // namespace park::heuristics
