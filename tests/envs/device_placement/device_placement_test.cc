// Episodes of device_placement: rewards and times, memory, what a configuration may have wrong.
#include "park/envs/device_placement/device_placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/events.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "tests/kit/env_player.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/total_reward.h"

namespace park::test {
namespace device_placement_test {

using device_placement::DevicePlacement;

class Player : public EnvPlayer<DevicePlacement> {
 public:
  explicit Player(const std::string& fields)
      : EnvPlayer("device_placement(" + fields + ")", "device") {}
};

constexpr Episode kEpisode{.id = 0, .inputs = 3, .dynamics = 4, .horizon_s = kInf};

double sum_of_rewards(const std::vector<Outcome>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double sum, const Outcome& o) { return sum + o.reward; });
}

TEST(DevicePlacement, ConstructiveRunsOneStepAtTheEnd) {
  Player p("nodes=20");
  const std::vector<Outcome> all = p.play(kEpisode, [](std::size_t) { return 0; });
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    EXPECT_EQ(all[k].reward, 0);
    EXPECT_EQ(all[k].elapsed_s, 0);
  }
  EXPECT_NEAR(all.back().reward, -1, 1e-12);
  EXPECT_DOUBLE_EQ(p.metric("step_time_ratio"), -all.back().reward);
  EXPECT_DOUBLE_EQ(p.metric("step_time_s"), all.back().elapsed_s);
  EXPECT_EQ(p.metric("devices_used"), 1);
  EXPECT_EQ(p.metric("sent_bytes"), 0);
  EXPECT_LE(p.metric("bound_ratio"), 1 + 1e-12);
}

/// Counts the values of series.
class Values final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {}
  void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {}
  void value(std::string_view, std::string_view, double, double) override { ++count; }

  std::size_t count = 0;
};

TEST(DevicePlacement, OnlyImprovementsHaveASeries) {
  const auto values = [](const std::string& fields) {
    Player p(fields);
    Values sink;
    p.env.events(&sink);
    const std::size_t steps = p.play(kEpisode, [](std::size_t) { return 0; }).size();
    return std::pair(sink.count, steps);
  };
  EXPECT_EQ(values("nodes=20").first, 0u);
  const auto [count, steps] = values("nodes=20,mode=improve,passes=2");
  EXPECT_EQ(count, steps);
}

TEST(DevicePlacement, ImproveRewardsWhatBecomesFaster) {
  Player p("nodes=20,mode=improve,start=random,passes=2");
  p.reset(kEpisode);
  const double start_s = p.value<float>("step_s"), single_s = p.value<float>("single_device_s");
  const std::vector<Outcome> all = p.play(kEpisode, [](std::size_t) { return 0; });
  EXPECT_EQ(all.back().end, End::terminated);
  EXPECT_NEAR(p.metric("step_time_ratio"), 1, 1e-12);
  EXPECT_NEAR(sum_of_rewards(all), (start_s - single_s) / single_s, 1e-5);
  EXPECT_LE(p.metric("best_ratio"), p.metric("step_time_ratio"));
}

/// Park had the sign of the reward wrong.
TEST(DevicePlacement, TheShorterStepHasTheLargerReturn) {
  for (const char* mode : {"constructive", "improve"}) {
    Player p(std::string("nodes=14,devices=3,mode=") + mode);
    double before_s = 0, before = 0;
    for (std::uint64_t k = 0; k <= 1000; ++k) {
      Rng rng(k);
      const double sum = sum_of_rewards(
          p.play(kEpisode, [&](std::size_t) { return static_cast<int>(rng.below(3)); }));
      const double time_s = p.metric("step_time_s");
      if (k > 0 && time_s != before_s) {
        ASSERT_EQ(time_s < before_s, before < sum) << mode << " " << k;
      }
      before_s = time_s, before = sum;
    }
  }
}

TEST(DevicePlacement, AskedAboutOperationsInOrder) {
  Player p("nodes=10,mode=improve,passes=2");
  p.reset(kEpisode);
  const std::size_t n = p.values<std::uint8_t>("node.current").size();
  for (std::size_t k = 0; k < 2 * n; ++k) {
    EXPECT_EQ(p.values<std::uint8_t>("node.current")[k % n], 1);
    EXPECT_EQ(p.value<float>("decisions_left"), static_cast<double>(2 * n - k));
    static_cast<void>(p.step(1));
  }
  for (const double current : p.values<std::uint8_t>("node.current")) EXPECT_EQ(current, 0);
}

TEST(DevicePlacement, FullDevicesAreMasked) {
  Player p("nodes=16,devices=2,memory=0.6,noise=0");
  p.reset(kEpisode);
  bool masked = false;
  for (Outcome o; o.end == End::none;) {
    const auto open = p.values<std::uint8_t>("mask.device");
    masked = masked || open[0] == 0;
    EXPECT_GE(open[0] + open[1], 1);
    o = p.step(open[0] == 1 ? 0 : 1);
  }
  EXPECT_TRUE(masked);
  EXPECT_EQ(p.metric("devices_used"), 2);
}

TEST(DevicePlacement, WhatHasNoRoomIsPaged) {
  // Devices hold the largest operation, but not all of them together.
  Player p("nodes=8,devices=2,memory=0.5,noise=0,graph=branches");
  bool paged = false;
  for (std::uint64_t k = 0; k < 40 && !paged; ++k) {
    Episode e = kEpisode;
    e.inputs = k;
    p.reset(e);
    Rng rng(k);
    for (Outcome o; o.end == End::none;) {
      const auto open = p.values<std::uint8_t>("mask.device");
      const int wanted = static_cast<int>(rng.below(2));
      o = p.step(open[static_cast<std::size_t>(wanted)] == 1 ? wanted : 1 - wanted);
      if (o.end != End::none) paged = p.metric("overrun_bytes") > 0;
    }
    if (!paged) continue;
    EXPECT_GT(p.metric("step_time_s"), 2 * p.metric("overrun_bytes") / 7.6e9);
  }
  EXPECT_TRUE(paged);
}

TEST(DevicePlacement, SplitsShareNoGraph) {
  Player train("nodes=10,noise=0"), test("nodes=10,noise=0,split=test");
  for (std::uint64_t k = 0; k < 50; ++k) {
    Episode e = kEpisode;
    e.inputs = k;
    train.reset(e);
    test.reset(e);
    EXPECT_NE(train.values<float>("node.work_s"), test.values<float>("node.work_s"));
  }
}

std::string config_error(const std::string& fields) {
  return error_of([&] {
    const auto c =
        parse_config<DevicePlacement::Config>(parse_text("device_placement(" + fields + ")"));
    static_cast<void>(DevicePlacement::spec(c));
  });
}

TEST(DevicePlacement, RefusesWhatCannotBe) {
  EXPECT_EQ(config_error("memory=0.4"),
            "memory = 0.4 must be at least 1 / devices = 1 / 2: the graph would not fit on all of "
            "them together");
  EXPECT_EQ(config_error("speeds=[1,2,3]"),
            "speeds has 3 values; allowed are none or one for each of the devices = 2");
  EXPECT_TRUE(config_error("bytes_per_s=0").starts_with("bytes_per_s = 0"));
  EXPECT_TRUE(config_error("bytes_per_s=nan").starts_with("bytes_per_s = nan"));
  EXPECT_TRUE(config_error("nodes=-1").starts_with("nodes = -1"));
  EXPECT_TRUE(config_error("graph=\"\"").starts_with("graph = "));
  EXPECT_TRUE(config_error("graph=none.json").starts_with("graph: cannot read 'none.json'"));
  const std::string big = config_error("graph=transformer,devices=8,memory=0.126");
  EXPECT_TRUE(big.starts_with("memory = 0.126 gives each device ")) << big;
  EXPECT_TRUE(big.ends_with(": it fits no device")) << big;
}

TEST(DevicePlacement, PlacesTheGraphOfAFile) {
  const ScratchFolder folder("placement");
  const std::string file = folder.file("two.json");
  write_text(file, R"({"schema":"park.graph","version":1,"nodes":[
    {"name":"a","work_s":0.001,"output_bytes":7600000,"inputs":[]},
    {"name":"b","work_s":0.002,"output_bytes":1,"inputs":["a"]}]})");
  Player p("noise=0,graph=\"" + file + "\"");
  ASSERT_EQ(p.play(kEpisode, [](std::size_t k) { return static_cast<int>(k); }).size(), 2u);
  // 1 ms, a transfer of 1 ms and 25 us, 2 ms
  EXPECT_NEAR(p.metric("step_time_s"), 0.004025, 1e-9);
  EXPECT_NEAR(p.metric("bound_ratio"), 1, 1e-9);
}

TEST(Futures, LetLookaheadGainOnItsBase) {
  for (const char* env : {"device_placement(nodes=10)",
                          "device_placement(nodes=10,mode=improve,start=random,memory=0.6)"})
    EXPECT_GT(total_reward(env, "lookahead(base=random,candidates=2,futures=1)", 3),
              total_reward(env, "random", 3));
}

}  // namespace device_placement_test
}  // namespace park::test
