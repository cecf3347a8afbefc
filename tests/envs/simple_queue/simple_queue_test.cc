// Episodes of simple_queue that are worked out by hand, and what a configuration may have wrong.
#include "park/envs/simple_queue/simple_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/text.h"
#include "tests/kit/env_player.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace simple_queue_test {

using simple_queue::SimpleQueue;
using simple_queue::SimpleQueueConfig;

/// Steps one simple_queue by hand.
class Player : public EnvPlayer<SimpleQueue> {
 public:
  explicit Player(const std::string& fields) : EnvPlayer("simple_queue(" + fields + ")", "admit") {}
  [[nodiscard]] double seen(std::string_view leaf) const { return value<float>(leaf); }
};

constexpr Episode kEpisode{.id = 0, .inputs = 3, .dynamics = 4, .horizon_s = kInf};

/// One server, a job per second, each in service for 2.5 s.
const std::string kConstant =
    "servers=1,priorities=[7],service=deterministic,service_mean_s=2.5,waiting_room=5,"
    "waiting_cost=2,";

TEST(SimpleQueue, WaitsAndCostsByHand) {
  Player p(kConstant + "jobs=3");
  p.reset(kEpisode);
  EXPECT_EQ(p.seen("server.free"), 1);
  EXPECT_EQ(p.seen("queue.places"), 5);
  EXPECT_EQ(p.seen("job.reward"), 7);
  Outcome o = p.step(true);  // served from 0 to 2.5
  EXPECT_DOUBLE_EQ(o.reward, 7);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 1);
  EXPECT_EQ(p.seen("server.busy"), 1);
  o = p.step(true);  // waits from 1 to 2.5
  EXPECT_DOUBLE_EQ(o.reward, 7 - 2 * 1);
  EXPECT_EQ(p.seen("queue.waiting"), 1);
  EXPECT_EQ(p.seen("queue.places"), 4);
  o = p.step(true);  // waits from 2 to 5, served until 7.5
  EXPECT_EQ(o.end, End::terminated);
  EXPECT_DOUBLE_EQ(o.reward, 7 - 2 * (0.5 + 3));
  EXPECT_DOUBLE_EQ(o.elapsed_s, 5.5);
  EXPECT_EQ(p.seen("job.reward"), 0);
  EXPECT_EQ(p.seen("server.busy"), 0);
  EXPECT_DOUBLE_EQ(p.metric("avg_wait_s"), 4.5 / 3);
  EXPECT_DOUBLE_EQ(p.metric("p95_wait_s"), 3);
  EXPECT_DOUBLE_EQ(p.metric("avg_response_s"), 4.5 / 3 + 2.5);
  EXPECT_DOUBLE_EQ(p.metric("avg_jobs_waiting"), 4.5 / 7.5);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 1);
  EXPECT_DOUBLE_EQ(p.metric("reward_per_job"), (21 - 9) / 3.0);
  EXPECT_EQ(p.metric("jobs_served"), 3);
}

TEST(SimpleQueue, TruncatedAtTheHorizon) {
  Player p(kConstant + "jobs=3");
  Episode cut = kEpisode;
  cut.horizon_s = 3;  // the second job is in service, the third one waits
  p.reset(cut);
  (void)p.step(true);
  (void)p.step(true);
  const Outcome o = p.step(true);
  EXPECT_EQ(o.end, End::truncated);
  EXPECT_DOUBLE_EQ(o.reward, 7 - 2 * (0.5 + 1));
  EXPECT_DOUBLE_EQ(o.elapsed_s, 1);
  EXPECT_EQ(p.metric("jobs_served"), 1);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 1);
}

TEST(SimpleQueue, AdmittingWithoutRoomLosesTheJob) {
  Player p("servers=1,priorities=[3],service=deterministic,service_mean_s=10,jobs=3");
  p.reset(kEpisode);
  EXPECT_EQ(p.step(true).reward, 3);
  EXPECT_EQ(p.step(true).reward, 0);
  EXPECT_EQ(p.step(false).reward, 0);
  EXPECT_DOUBLE_EQ(p.metric("admitted_share"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(p.metric("lost_share"), 1.0 / 3);
}

TEST(SimpleQueue, EpisodesEnd) {
  // Park's never do: 1000 decisions, the last outcome is terminated.
  Player p("");
  p.reset(kEpisode);
  for (int job = 1; job < 1000; ++job) ASSERT_EQ(p.step(job % 3 != 0).end, End::none) << job;
  EXPECT_EQ(p.step(true).end, End::terminated);
}

TEST(SimpleQueue, SlotsHaveNoRoundingErrors) {
  // With p = 1 every service takes one slot: the server is free at each arrival, whatever the unit.
  Player p("servers=1,free_probability=1,interval_s=0.1,jobs=500");
  p.reset(kEpisode);
  for (int job = 1; job <= 500; ++job) {
    ASSERT_EQ(p.seen("server.free"), 1) << job;
    (void)p.step(true);
  }
  EXPECT_EQ(p.metric("lost_share"), 0);
}

/// Keeps the rewards of the jobs in the order of their services, and how many points were told.
class ServiceOrder final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void value(std::string_view, std::string_view, double, double) override {}
  void point(std::string_view, double, std::string_view what, std::span<const EventArg>) override {
    ++points[std::string(what)];
  }
  void span(std::string_view, double start_s, double end_s, std::string_view,
            std::span<const EventArg> args) override {
    EXPECT_LE(start_s, end_s);
    for (const EventArg& arg : args)
      if (arg.name == "reward") rewards.push_back(arg.value);
  }

  std::vector<double> rewards;
  std::map<std::string, int> points;
};

TEST(SimpleQueue, TheHighestPriorityIsServedFirst) {
  // All others arrive during the first service; then they leave in the order of their rewards.
  const std::string fields =
      "servers=1,service=deterministic,service_mean_s=50,waiting_room=inf,jobs=20,";
  for (const bool priority : {true, false}) {
    Player p(fields + (priority ? "discipline=priority" : "discipline=fifo"));
    ServiceOrder log;
    p.env.events(&log);
    p.reset(kEpisode);
    while (p.step(true).end == End::none) continue;
    ASSERT_EQ(log.rewards.size(), 20u);
    EXPECT_EQ(std::is_sorted(log.rewards.begin() + 1, log.rewards.end(), std::greater<>()),
              priority);
  }
}

TEST(SimpleQueue, TheTimelineTellsEveryJob) {
  Player p("servers=2,free_probability=0.2,waiting_room=1,jobs=200");
  ServiceOrder log;
  p.env.events(&log);
  p.reset(kEpisode);
  for (int job = 0; p.step(job % 4 != 0).end == End::none;) ++job;
  EXPECT_EQ(log.points["arrival"], 200);
  EXPECT_EQ(log.points["refused"], 50);
  EXPECT_GT(log.points["lost"], 10);
  EXPECT_EQ(log.points["completion"], 150 - log.points["lost"]);
  EXPECT_EQ(log.rewards.size(), static_cast<std::size_t>(log.points["completion"]));
}

TEST(SimpleQueue, RefusedConfigurations) {
  const auto wrong = [](const std::string& fields) {
    return error_of(
        [&] { (void)parse_config<SimpleQueueConfig>(parse_text("simple_queue(" + fields + ")")); });
  };
  EXPECT_NE(wrong("priorities=[]").find("priorities"), std::string::npos);
  EXPECT_NE(wrong("jobs=1.5").find("jobs = 1.5"), std::string::npos);
  EXPECT_NE(wrong("jobs=inf").find("horizon_s"), std::string::npos);
  EXPECT_NE(wrong("waiting_room=0.5").find("waiting_room = 0.5"), std::string::npos);
  EXPECT_NE(wrong("free_probability=0").find("free_probability"), std::string::npos);
  EXPECT_NE(wrong("discipline=lifo").find("fifo"), std::string::npos);
}

}  // namespace simple_queue_test
}  // namespace park::test
