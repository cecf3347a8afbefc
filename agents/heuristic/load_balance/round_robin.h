#pragma once

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

/// Decision k of an episode goes to server k mod n, whatever the servers hold.
class RoundRobin final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit RoundRobin(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  ServerView view_;
};

}  // namespace park::heuristics
