#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/text.h"
#include "park/envs/switch_scheduling/switch_scheduling.h"

namespace park::test {

/// Steps one switch_scheduling by hand.
class SwitchPlayer {
 public:
  explicit SwitchPlayer(std::string_view text)
      : config(parse_config<switch_scheduling::SwitchSchedulingConfig>(parse_text(text))),
        spec(switch_scheduling::SwitchScheduling::spec(config)),
        env(config),
        observation_(spec.observation),
        action_(spec.action) {
    action_.resize(1);
  }

  void reset(const Episode& episode = {.inputs = 1}) {
    observation_.clear();
    env.reset(episode, observation_.append());
  }
  Outcome step(std::size_t pair) {
    action_.row(0).scalar(action_.field<std::int32_t>("pair")) = static_cast<std::int32_t>(pair);
    return step();
  }
  Outcome step(const std::vector<float>& weights) {
    std::ranges::copy(weights, action_.row(0)[action_.field<float>("weight")].begin());
    return step();
  }

  [[nodiscard]] std::size_t done() const { return ports() * ports(); }
  [[nodiscard]] std::size_t ports() const { return static_cast<std::size_t>(config.ports); }
  template <class T>
  [[nodiscard]] std::vector<T> values(std::string_view leaf) const {
    const auto all = observation_.row(0)[observation_.field<T>(leaf)];
    return {all.begin(), all.end()};
  }
  [[nodiscard]] std::vector<float> queues() const { return values<float>("voq.queue"); }
  [[nodiscard]] std::vector<std::uint8_t> mask() const { return values<std::uint8_t>("mask.pair"); }
  /// The first legal choice.
  [[nodiscard]] std::size_t first() const {
    const auto m = mask();
    return static_cast<std::size_t>(std::ranges::find(m, 1) - m.begin());
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec.metrics.size());
    env.metrics(all);
    return all.at(spec.metric(name));
  }

  switch_scheduling::SwitchSchedulingConfig config;
  Spec spec;
  switch_scheduling::SwitchScheduling env;

 private:
  Outcome step() {
    observation_.clear();
    return env.step(std::as_const(action_).row(0), observation_.append());
  }

  Batch observation_, action_;
};

}  // namespace park::test
