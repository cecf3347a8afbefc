#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/text.h"
#include "park/envs/load_balance/load_balance.h"

namespace park::test {

/// An observation of load_balance by name.
struct ServersSeen {
  std::vector<double> rate, jobs, work, drain_s;
  double size = 0, since_last_arrival_s = 0;
};

/// Steps one load_balance by hand.
class LoadBalancePlayer {
 public:
  explicit LoadBalancePlayer(std::string_view text)
      : config(parse_config<envs::LoadBalanceConfig>(parse_text(text))),
        spec(envs::LoadBalance::spec(config)),
        env(config),
        observation_(spec.observation),
        action_(spec.action) {
    action_.resize(1);
  }

  void reset(const Episode& episode) {
    observation_.clear();
    env.reset(episode, observation_.append());
  }
  Outcome step(int server) {
    action_.row(0).scalar(action_.field<std::int32_t>("server")) = server;
    observation_.clear();
    return env.step(std::as_const(action_).row(0), observation_.append());
  }
  [[nodiscard]] ServersSeen seen() const {
    return {values("server.rate"),    values("server.jobs"), values("server.work"),
            values("server.drain_s"), values("job.size")[0], values("job.since_last_arrival_s")[0]};
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec.metrics.size());
    env.metrics(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (spec.metrics[i].name == name) return all[i];
    throw Error(Errc::unknown_name, std::string(name));
  }

  /// Plays to the end; the policy gets the number of the decision.
  std::vector<Outcome> play(const Episode& episode, const std::function<int(std::size_t)>& policy) {
    reset(episode);
    std::vector<Outcome> all;
    do all.push_back(step(policy(all.size())));
    while (all.back().end == End::none);
    return all;
  }

  envs::LoadBalanceConfig config;
  Spec spec;
  envs::LoadBalance env;

 private:
  [[nodiscard]] std::vector<double> values(std::string_view leaf) const {
    const auto v = observation_.row(0)[observation_.field<float>(leaf)];
    return {v.begin(), v.end()};
  }

  Batch observation_, action_;
};

}  // namespace park::test
