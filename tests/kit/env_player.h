#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/text.h"

namespace park::test {

/// Steps one environment whose action is one number, by hand.
template <class E>
class EnvPlayer {
 public:
  /// `head` is the name of the action.
  EnvPlayer(std::string_view text, std::string_view head)
      : config(parse_config<typename E::Config>(parse_text(text))),
        spec(E::spec(config)),
        env(config),
        observation_(spec.observation),
        action_(spec.action),
        head_(action_.field<std::int32_t>(head)) {
    action_.resize(1);
  }

  void reset(const Episode& episode) {
    observation_.clear();
    env.reset(episode, observation_.append());
  }
  Outcome step(int choice) {
    action_.row(0).scalar(head_) = choice;
    observation_.clear();
    return env.step(std::as_const(action_).row(0), observation_.append());
  }
  /// Plays to the end; the policy gets the number of the decision.
  std::vector<Outcome> play(const Episode& episode, const std::function<int(std::size_t)>& policy) {
    reset(episode);
    std::vector<Outcome> all;
    do all.push_back(step(policy(all.size())));
    while (all.back().end == End::none);
    return all;
  }

  /// A leaf of the last observation.
  template <class T>
  [[nodiscard]] std::vector<double> values(std::string_view leaf) const {
    const auto v = observation_.row(0)[observation_.template field<T>(leaf)];
    return {v.begin(), v.end()};
  }
  template <class T>
  [[nodiscard]] double value(std::string_view leaf) const {
    return values<T>(leaf)[0];
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec.metrics.size());
    env.metrics(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (spec.metrics[i].name == name) return all[i];
    throw Error(Errc::unknown_name, std::string(name));
  }

  typename E::Config config;
  Spec spec;
  E env;

 private:
  Batch observation_, action_;
  Field<std::int32_t> head_;
};

}  // namespace park::test
