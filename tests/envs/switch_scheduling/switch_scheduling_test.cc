// switch_scheduling by hand: what a row shows, what a decision does, times and rewards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/envs/switch_scheduling/fixture.h"
#include "tests/kit/total_reward.h"

namespace park::test {
namespace switch_scheduling_test {

double sum(const std::vector<float>& all) {
  double s = 0;
  for (const float v : all) s += static_cast<double>(v);
  return s;
}

TEST(Row, ShowsQueuesAndSums) {
  SwitchPlayer p("switch_scheduling(ports=3,arrival_slots=50,arrivals=per_voq)");
  p.reset();
  for (int k = 0; k < 60; ++k) {
    const auto q = p.queues(), at_input = p.values<float>("voq.input_queue"),
               for_output = p.values<float>("voq.output_queue"), age = p.values<float>("voq.age");
    ASSERT_EQ(q.size(), 10u) << "nine queues and done";
    EXPECT_EQ(p.values<float>("switch.cells")[0], sum(q));
    for (std::size_t v = 0; v < 9; ++v) {
      const std::size_t i = v / 3, j = v % 3;
      EXPECT_EQ(at_input[v], q[3 * i] + q[3 * i + 1] + q[3 * i + 2]);
      EXPECT_EQ(for_output[v], q[j] + q[3 + j] + q[6 + j]);
      EXPECT_EQ(age[v] > 0, q[v] > 0);
      EXPECT_GE(age[v], q[v]) << "a VOQ gets one cell per slot at most";
    }
    EXPECT_EQ(p.values<std::int32_t>("voq.input").back(), -1);
    p.step(p.first());
  }
}

TEST(Decision, TakesAPairAndMasksItsPorts) {
  SwitchPlayer p("switch_scheduling(ports=4,load=0.99,arrival_slots=100,arrivals=per_voq)");
  p.reset();
  int within_slots = 0;
  for (int k = 0; k < 100; ++k) {
    const std::size_t pair = p.first();
    ASSERT_LT(pair, 16u) << "no idling";
    const auto before = p.queues();
    const Outcome o = p.step(pair);
    if (o.elapsed_s > 0) continue;
    ++within_slots;
    EXPECT_EQ(o.reward, 0);
    EXPECT_EQ(p.queues(), before) << "cells leave when the slot ends";
    for (std::size_t other = 0; other < 4; ++other) {
      EXPECT_EQ(p.mask()[pair / 4 * 4 + other], 0);
      EXPECT_EQ(p.mask()[other * 4 + pair % 4], 0);
    }
    EXPECT_EQ(p.mask()[16], 0) << "done needs a maximal matching";
  }
  EXPECT_GT(within_slots, 30);
}

TEST(Decision, DoneEndsTheSlotWhereItMayIdle) {
  SwitchPlayer p("switch_scheduling(ports=2,load=0.9,arrival_slots=10,idle=true,drain=true)");
  p.reset();
  double cells = p.values<float>("switch.cells")[0];
  for (int slot = 0; slot < 9; ++slot) {
    ASSERT_EQ(p.mask()[4], 1);
    const Outcome o = p.step(p.done());
    EXPECT_EQ(o.reward, -cells);
    EXPECT_NEAR(o.elapsed_s, 1e-6, 1e-15);
    EXPECT_GE(p.values<float>("switch.cells")[0], cells) << "nothing was sent";
    cells = p.values<float>("switch.cells")[0];
  }
  static_cast<void>(p.step(p.done()));
  EXPECT_EQ(p.mask()[4], 0) << "a switch that drains sends what it can";
}

/// Rewards, the mean delay and the delays of single cells are the same figure.
TEST(Rewards, AddUpToTheTotalDelay) {
  for (const char* traffic : {"uniform", "hotspot", "bursty"}) {
    SwitchPlayer p("switch_scheduling(ports=4,arrival_slots=300,drain=true,load=0.8,traffic=" +
                   std::string(traffic) + ")");
    p.reset();
    double reward = 0, seconds = 0;
    Outcome o;
    while (o.end == End::none) {
      o = p.step(p.first());
      reward += o.reward;
      seconds += o.elapsed_s;
    }
    EXPECT_EQ(o.end, End::terminated);
    EXPECT_EQ(p.metric("cells_left"), 0);
    const double cells = std::round(p.metric("offered_load") * 300 * 4);
    EXPECT_NEAR(p.metric("mean_delay_slots") * cells, -reward, 1e-6);
    EXPECT_NEAR(p.metric("throughput") * 4 * std::round(seconds * 1e6), cells, 1e-6);
    EXPECT_EQ(p.metric("maximal_share"), 1);
    EXPECT_GE(p.metric("mean_delay_slots"), p.metric("output_queued_delay_slots"));
    EXPECT_GE(p.metric("p99_delay_slots"), p.metric("p50_delay_slots"));
  }
}

TEST(Horizon, CutsWithinASlot) {
  SwitchPlayer p("switch_scheduling(ports=2,load=0.9,arrival_slots=100,idle=true,slot_s=1)");
  p.reset({.inputs = 1, .horizon_s = 2.25});
  double reward = 0, seconds = 0;
  Outcome o;
  std::vector<double> cells;
  while (o.end == End::none) {
    cells.push_back(p.values<float>("switch.cells")[0]);
    o = p.step(p.done());
    reward += o.reward;
    seconds += o.elapsed_s;
  }
  EXPECT_EQ(o.end, End::truncated);
  EXPECT_DOUBLE_EQ(seconds, 2.25);
  EXPECT_DOUBLE_EQ(p.metric("mean_cells"), -reward / 2.25);
}

TEST(Weights, TakeTheHeaviestMatchingAndFillItUp) {
  SwitchPlayer p(
      "switch_scheduling(ports=2,load=0.9,arrival_slots=400,arrivals=per_voq,action=weights)");
  p.reset();
  const auto full = [&] { return std::ranges::all_of(p.queues(), [](float q) { return q > 0; }); };
  while (!full()) p.step(std::vector<float>{0, 0, 0, 1});
  const std::vector<float> unserved = p.values<float>("voq.unserved");
  p.step({0.5f, 0.75f, 0.125f, 0.5f});
  EXPECT_EQ(p.values<float>("voq.unserved")[0], 0) << "1 is more than 0.875";
  EXPECT_EQ(p.values<float>("voq.unserved")[3], 0);
  EXPECT_EQ(p.values<float>("voq.unserved")[1], unserved[1] + 1);
}

TEST(Weights, OfZeroLeaveTheSwitchIdleWhereItMay) {
  const std::string text = "switch_scheduling(ports=3,load=0.9,arrival_slots=40,action=weights";
  for (const bool idle : {true, false}) {
    SwitchPlayer p(text + (idle ? ",idle=true)" : ")"));
    p.reset();
    Outcome o;
    while (o.end == End::none) o = p.step(std::vector<float>(9, 0.0f));
    EXPECT_EQ(p.metric("throughput") == 0, idle);
    EXPECT_EQ(p.metric("maximal_share"), idle ? 0 : 1);
  }
}

TEST(Weights, OfQueuesAreMaxWeight) {
  const std::string fields = "ports=5,arrival_slots=400,load=0.95,traffic=log_diagonal";
  SwitchPlayer weights("switch_scheduling(" + fields + ",action=weights)");
  weights.reset();
  Outcome o;
  while (o.end == End::none) {
    std::vector<float> w = weights.queues();
    const float largest = std::ranges::max(w);
    float scale = 1;
    while (scale < largest) scale *= 2;
    for (float& v : w) v /= scale;
    o = weights.step(w);
  }
  Registry registry;
  envs::register_all(registry);
  const FixedEpisodes source(std::vector<Episode>{{.inputs = 1}});
  for (const char* action : {"pairs", "weights"}) {
    const auto stream =
        registry.stream("switch_scheduling(" + fields + ",action=" + action + ")", source);
    const auto policy = registry.policy("maxweight", stream->spec());
    std::vector<double> found;
    play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
      for (std::size_t i = 0; i < d.ended.size(); ++i) {
        found.assign(d.metrics_of(i).begin(), d.metrics_of(i).end());
        const auto queue = d.final_observation.field<float>("voq.queue");
        const auto last = d.final_observation.row(i)[queue];
        EXPECT_TRUE(std::ranges::equal(last.first(25), weights.queues())) << action;
      }
    });
    std::vector<double> expected(found.size());
    weights.env.metrics(expected);
    EXPECT_EQ(found, expected) << action;
  }
}

std::string refusal(const std::string& fields) {
  Registry registry;
  envs::register_all(registry);
  try {
    static_cast<void>(registry.spec("switch_scheduling(" + fields + ")"));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(BadInput, IsRefusedByFieldAndValue) {
  EXPECT_NE(refusal("load=1").find("load = 1"), std::string::npos) << refusal("load=1");
  EXPECT_NE(refusal("load=1.2").find("load = 1.2"), std::string::npos);
  EXPECT_NE(refusal("load=0").find("load = 0"), std::string::npos);
  EXPECT_NE(refusal("load=nan").find("load = "), std::string::npos);
  EXPECT_NE(refusal("ports=1").find("ports = 1"), std::string::npos);
  EXPECT_NE(refusal("ports=65").find("ports = 65"), std::string::npos);
  EXPECT_NE(refusal("traffic=bursty,arrivals=per_voq").find("arrivals = per_voq"),
            std::string::npos);
  EXPECT_NE(refusal("change_slots=5").find("change_slots = 5"), std::string::npos);
}

TEST(Futures, HaveCellsOfTheirOwnAtTheLoad) {
  SwitchPlayer p("switch_scheduling(ports=4,load=0.6,arrival_slots=9,action=weights,idle=true)");
  p.reset();
  const std::vector<float> nothing(p.values<float>("voq.queue").size(), 0.0f);
  for (int slot = 0; slot < 4; ++slot) p.step(nothing);
  Batch action(p.spec.action), row(p.spec.observation);
  action.resize(1);
  const auto cells = [&](std::uint64_t seed) {
    row.clear();
    p.env.clone_with_future(seed)->step(std::as_const(action).row(0), row.append());
    return static_cast<double>(std::as_const(row).row(0).scalar(row.field<float>("switch.cells")));
  };
  constexpr std::uint64_t kFutures = 400;
  double came = 0;
  for (std::uint64_t seed = 0; seed < kFutures; ++seed) {
    came += cells(seed) - sum(p.queues());
    EXPECT_EQ(cells(seed), cells(seed));
  }
  EXPECT_NEAR(came / kFutures, 4 * 0.6, 0.2) << "four standard errors";
}

TEST(Futures, LetLookaheadGainOnItsBase) {
  const char* env = "switch_scheduling(ports=3,arrival_slots=30,traffic=diagonal)";
  EXPECT_GT(total_reward(env, "lookahead(base=random,candidates=4,futures=4)", 3),
            total_reward(env, "random", 3));
}

}  // namespace switch_scheduling_test
}  // namespace park::test
