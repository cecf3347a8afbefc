#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/client/remote_decider.h"

namespace park::bridge::test {

/// A running system that stands still: it asks the same question again and again.
class System {
 public:
  System(Decider& decider, const Spec& spec)
      : decider_(decider), observation_(spec.observation), action_(spec.action) {
    observation_.resize(1);
    action_.resize(1);
    context_ = decider.open({.id = 1, .inputs = 2, .dynamics = 3});
  }
  Applied ask(std::chrono::milliseconds until) {
    return decider_.decide(context_, {.reward = -1, .elapsed_s = 1},
                           std::as_const(observation_).row(0), action_.row(0),
                           Clock::now() + until);
  }
  /// Asks until a policy decides, or it is too late.
  Applied ask_until_policy() {
    const Deadline latest = Clock::now() + std::chrono::seconds(20);
    Applied applied = Applied::fallback;
    while (applied != Applied::policy && Clock::now() < latest)
      applied = ask(std::chrono::milliseconds(200));
    return applied;
  }
  void close(const Spec& spec) {
    const std::vector<double> metrics(spec.metrics.size(), 1.0);
    decider_.close(context_, {.reward = -7, .elapsed_s = 2, .end = End::terminated},
                   std::as_const(observation_).row(0), metrics);
  }
  [[nodiscard]] std::int32_t server() const {
    const auto field = action_.field<std::int32_t>("server");
    return action_.row(0).scalar(field);
  }

 private:
  Decider& decider_;
  Batch observation_, action_;
  Context context_;
};

inline void wait_for_server(const RemoteDecider& remote) {
  const Deadline latest = Clock::now() + std::chrono::seconds(20);
  while (!remote.trouble().empty() && Clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(remote.trouble(), "");
}

/// How many of the questions that so many systems ask at once a policy decides.
inline int decided_by_policy(RemoteDecider& remote, const Spec& spec, int systems, int questions) {
  wait_for_server(remote);
  std::atomic<int> decided{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < systems; ++t)
    threads.emplace_back([&] {
      System system(remote, spec);
      for (int i = 0; i < questions; ++i)
        decided += system.ask(std::chrono::seconds(20)) == Applied::policy ? 1 : 0;
      system.close(spec);
    });
  threads.clear();  // waits
  return decided;
}

}  // namespace park::bridge::test
