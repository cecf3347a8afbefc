#pragma once

#include <string_view>
#include <vector>

#include "park/envs/load_balance/load_balance.h"
#include "tests/kit/env_player.h"

namespace park::test {

/// An observation of load_balance by name.
struct ServersSeen {
  std::vector<double> rate, jobs, work, drain_s;
  double size = 0, since_last_arrival_s = 0;
};

/// Steps one load_balance by hand.
class LoadBalancePlayer : public EnvPlayer<load_balance::LoadBalance> {
 public:
  explicit LoadBalancePlayer(std::string_view text) : EnvPlayer(text, "server") {}

  [[nodiscard]] ServersSeen seen() const {
    return {values<float>("server.rate"), values<float>("server.jobs"),
            values<float>("server.work"), values<float>("server.drain_s"),
            value<float>("job.size"),     value<float>("job.since_last_arrival_s")};
  }
};

}  // namespace park::test
