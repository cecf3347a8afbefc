// Policies of load_balance on hand-made observations: the expected server follows from the
// definition in the header of each policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park {
namespace {

struct Seen {
  std::vector<float> rate, jobs, work;
  float size = 1;
};

class LoadBalancePolicies : public ::testing::Test {
 protected:
  LoadBalancePolicies() { envs::register_all(registry_); }

  void open(std::string_view policy, int servers) {
    spec_ = registry_.spec("load_balance(servers=" + std::to_string(servers) + ")");
    policy_ = registry_.policy(policy, spec_);
    policy_->start(0, {}, Rng(1));
    sequence_ = 0;
  }

  /// The answer to the next row of slot 0.
  int choose(const Seen& seen) {
    Decisions d(spec_);
    ask(d, seen, 0, sequence_++);
    return answers(d)[0];
  }

  static void ask(Decisions& d, const Seen& seen, std::uint32_t slot, std::uint64_t sequence) {
    const Row row = d.observation.append();
    const auto write = [&](std::string_view leaf, const std::vector<float>& values) {
      std::ranges::copy(values, row[d.observation.field<float>(leaf)].begin());
    };
    std::vector<float> drain_s;
    for (std::size_t i = 0; i < seen.rate.size(); ++i)
      drain_s.push_back(seen.work[i] / seen.rate[i]);
    write("server.rate", seen.rate);
    write("server.jobs", seen.jobs);
    write("server.work", seen.work);
    write("server.drain_s", drain_s);
    write("job.size", {seen.size});
    write("job.since_last_arrival_s", {1});
    d.asked.push_back(
        {.slot = slot, .context = slot, .sequence = sequence, .episode = {}, .since_last = {}});
  }
  std::vector<int> answers(const Decisions& d) {
    Batch actions(spec_.action);
    actions.resize(d.asked.size());
    policy_->act(d, actions);
    const auto server = actions.field<std::int32_t>("server");
    std::vector<int> all;
    for (std::size_t i = 0; i < d.asked.size(); ++i) all.push_back(actions.row(i).scalar(server));
    return all;
  }

  Registry registry_;
  Spec spec_;
  std::unique_ptr<Policy> policy_;
  std::uint64_t sequence_ = 0;
};

const Seen kFour{.rate = {1, 2, 4, 8}, .jobs = {3, 1, 1, 2}, .work = {2, 6, 9, 24}};

TEST_F(LoadBalancePolicies, AreRegistered) {
  const std::vector<std::string> expected = {
      "least_work",     "power_of_d",   "random", "round_robin", "shortest_expected_delay",
      "shortest_queue", "size_interval"};
  EXPECT_EQ(registry_.policies_for(registry_.spec("load_balance")), expected);
}

TEST_F(LoadBalancePolicies, RoundRobin) {
  open("round_robin", 4);
  for (int k = 0; k < 9; ++k) EXPECT_EQ(choose(kFour), k % 4);
}

TEST_F(LoadBalancePolicies, ShortestQueue) {
  open("shortest_queue", 4);
  EXPECT_EQ(choose(kFour), 1);  // the lower of two equals
}

TEST_F(LoadBalancePolicies, LeastWork) {
  open("least_work", 4);
  EXPECT_EQ(choose(kFour), 0);
  EXPECT_EQ(choose({.rate = {1, 2, 4, 8}, .jobs = {1, 1, 1, 1}, .work = {9, 5, 5, 6}}), 1);
}

TEST_F(LoadBalancePolicies, ShortestExpectedDelay) {
  open("shortest_expected_delay", 4);
  Seen seen = kFour;  // drains in 2, 3, 2.25, 3 s
  seen.size = 0.1f;
  EXPECT_EQ(choose(seen), 0);
  seen.size = 1;  // 3, 3.5, 2.5, 3.125
  EXPECT_EQ(choose(seen), 2);
  seen.size = 8;  // 10, 7, 4.25, 4
  EXPECT_EQ(choose(seen), 3);
  EXPECT_EQ(choose({.rate = {1, 2, 2, 1}, .jobs = {0, 1, 1, 0}, .work = {0, 1, 1, 0}}), 0);
}

TEST_F(LoadBalancePolicies, PowerOfAllIsShortestQueue) {
  for (const char* text : {"power_of_d(d=4)", "power_of_d(d=9)"}) {
    open(text, 4);
    for (int k = 0; k < 20; ++k) EXPECT_EQ(choose(kFour), 1);
  }
}

TEST_F(LoadBalancePolicies, PowerOfDTakesTheBestOfAUniformSample) {
  // Of six pairs, those with server 1 (the lower of the two shortest) give 1, and so on.
  open("power_of_d", 4);
  constexpr int kDraws = 24'000;
  std::vector<int> count(4);
  for (int k = 0; k < kDraws; ++k) ++count[static_cast<std::size_t>(choose(kFour))];
  const double expected[] = {0, 3 / 6.0, 2 / 6.0, 1 / 6.0};
  for (std::size_t s = 0; s < 4; ++s) {
    const double p = expected[s];
    EXPECT_NEAR(count[s], p * kDraws, 3.9 * std::sqrt(kDraws * p * (1 - p))) << s;
  }
  open("power_of_d(d=1)", 4);
  std::ranges::fill(count, 0);
  for (int k = 0; k < kDraws; ++k) ++count[static_cast<std::size_t>(choose(kFour))];
  for (const int n : count) EXPECT_NEAR(n, kDraws / 4, 3.9 * std::sqrt(kDraws * 3 / 16.0));
}

TEST_F(LoadBalancePolicies, PowerOfDIsKeyedByTheDecision) {
  open("power_of_d", 4);
  policy_->start(1, {}, Rng(2));
  const auto row = [](std::uint32_t slot, std::uint64_t sequence) {
    return std::pair(slot, sequence);
  };
  std::vector<int> together, alone;
  Decisions d(spec_);
  for (const auto& [slot, sequence] : {row(1, 7), row(0, 3), row(0, 7), row(1, 3)})
    ask(d, kFour, slot, sequence);
  together = answers(d);
  for (const auto& [slot, sequence] : {row(1, 3), row(0, 7), row(0, 3), row(1, 7)}) {
    d.clear();
    ask(d, kFour, slot, sequence);
    alone.insert(alone.begin(), answers(d)[0]);
  }
  EXPECT_EQ(together, alone);
}

TEST_F(LoadBalancePolicies, SizeIntervalByHand) {
  // Shares 1, 1, 2 of 4 in the order of speed: servers 1, 2, 0 up to 1/4, 1/2 and 1 of the work.
  open("size_interval", 3);
  Seen seen{.rate = {2, 1, 1}, .jobs = {0, 0, 0}, .work = {0, 0, 0}};
  const auto choose_for = [&](float size) {
    seen.size = size;
    return choose(seen);
  };
  EXPECT_EQ(choose_for(4), 2);  // half of its own 4 below: u = 2/4
  EXPECT_EQ(choose_for(1), 1);  // 0.5/5
  EXPECT_EQ(choose_for(4), 0);  // (1 + 8/2)/9
  EXPECT_EQ(choose_for(2), 1);  // (1 + 1)/11
  EXPECT_EQ(choose_for(2), 1);  // (1 + 2)/13
  EXPECT_EQ(choose_for(2), 2);  // (1 + 3)/15
  policy_->start(0, {}, Rng(1));
  sequence_ = 0;
  EXPECT_EQ(choose_for(1), 2);  // forgotten: u = 0.5/1
}

TEST_F(LoadBalancePolicies, SizeIntervalSharesTheWorkByRate) {
  for (const double balance : {0.0, 1.0, 2.0}) {
    open("size_interval(balance=" + std::to_string(static_cast<int>(balance)) + ")", 3);
    Seen seen{.rate = {1, 3, 2}, .jobs = {0, 0, 0}, .work = {0, 0, 0}};
    std::vector<double> work(3), smallest(3, 1e9), largest(3);
    double total = 0;
    Rng rng(1);
    for (int k = 0; k < 16'000; ++k) {
      seen.size = static_cast<float>(rng.uniform(100, 1000));
      const auto s = static_cast<std::size_t>(choose(seen));
      const auto size = static_cast<double>(seen.size);
      work[s] += size;
      total += size;
      if (k < 1000) continue;
      smallest[s] = std::min(smallest[s], size);
      largest[s] = std::max(largest[s], size);
    }
    const double shares = std::pow(1, balance) + std::pow(3, balance) + std::pow(2, balance);
    // A quarter of an octave goes to one server, so shares come out to within half a bin.
    EXPECT_NEAR(work[0] / total, std::pow(1, balance) / shares, 0.15);
    EXPECT_NEAR(work[1] / total, std::pow(3, balance) / shares, 0.15);
    EXPECT_LT(smallest[0], smallest[2]);
    EXPECT_LT(smallest[2], smallest[1]);
    EXPECT_LT(largest[0], 1.2 * smallest[2]);
    EXPECT_LT(largest[2], 1.2 * smallest[1]);
  }
}

TEST_F(LoadBalancePolicies, TuningGridsAreDeclared) {
  EXPECT_EQ(registry_.policy_fields("power_of_d").at(0).tune, "1|2|3|4|5|6|8|10|12|16|24|32|64");
  EXPECT_EQ(registry_.policy_fields("size_interval").at(0).tune,
            "0|0.25|0.5|0.75|1|1.25|1.5|1.75|2|2.5|3|4|5|6|8|10|15|20|30");
}

TEST_F(LoadBalancePolicies, RefuseOtherEnvironments) {
  Spec other = registry_.spec("load_balance");
  other.name = "something_else";
  for (const char* name : {"round_robin", "size_interval"})
    EXPECT_THROW((void)registry_.policy(name, other), Error) << name;
}

}  // namespace
}  // namespace park
