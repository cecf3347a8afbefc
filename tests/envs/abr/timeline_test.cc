// What abr reports to a sink of events, against the figures of the same episode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/events.h"
#include "park/core/rng.h"
#include "tests/envs/abr/fixture.h"

namespace park::test {
namespace timeline_test {

class Log final : public EventSink {
 public:
  struct Span {
    double start_s, end_s;
    std::string what;
  };
  using Series = std::vector<std::pair<double, double>>;

  void begin(const Episode&) override {}
  void lane(std::string_view name) override { lanes.emplace_back(name); }
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg>) override {
    spans[std::string(lane)].push_back({start_s, end_s, std::string(what)});
  }
  void point(std::string_view, double, std::string_view what, std::span<const EventArg>) override {
    points.emplace_back(what);
  }
  void value(std::string_view, std::string_view name, double time_s, double v) override {
    series[std::string(name)].emplace_back(time_s, v);
  }
  [[nodiscard]] double total_s(const std::string& lane, const std::string& what) {
    double sum = 0;
    for (const Span& s : spans[lane])
      if (s.what == what) sum += s.end_s - s.start_s;
    return sum;
  }

  std::vector<std::string> lanes, points;
  std::map<std::string, std::vector<Span>> spans;
  std::map<std::string, Series> series;
};

class AbrTimelines : public ::testing::Test {
 protected:
  void play(const std::string& more, double horizon_s = kInf) {
    player_.emplace("abr(traces=" PARK_SOURCE_DIR "/tests/data/abr/traces,video=" PARK_SOURCE_DIR
                    "/tests/data/abr/video,rates_kbps=[300,750,1200]" +
                    more + ")");
    player_->env.events(&log_);
    Rng draw(3);
    player_->play({.inputs = 5, .horizon_s = horizon_s},
                  [&](std::size_t) { return static_cast<int>(draw.below(3)); });
  }
  std::optional<AbrPlayer> player_;
  Log log_;
};

TEST_F(AbrTimelines, PlaybackIsPlayingAndStalls) {
  play("");
  EXPECT_EQ(log_.lanes, (std::vector<std::string>{"download", "playback"}));
  EXPECT_EQ(log_.points, std::vector<std::string>{"arrival"});
  EXPECT_NEAR(log_.total_s("playback", "stall"),
              player_->metric("startup_s") + player_->metric("stall_s"), 1e-9);
  const double end_s = player_->value("info.time_s");
  EXPECT_NEAR(log_.total_s("playback", "playing") + log_.total_s("playback", "stall"), end_s, 1e-9);
  EXPECT_EQ(log_.spans["download"].size(), 16u);
  EXPECT_NEAR(log_.spans["download"].back().end_s, end_s, 1e-9);
  EXPECT_NEAR(log_.series["running mean of QoE"].back().second, player_->metric("qoe"), 1e-9);
}

TEST_F(AbrTimelines, AFullBufferIsAWaitOfTheDownload) {
  play(",buffer_s=6,chunks=40");
  const double waited_s = log_.total_s("download", "wait");
  EXPECT_GT(waited_s, 0);
  EXPECT_NEAR(std::remainder(waited_s, 0.5), 0, 1e-9);
  for (const auto& [time_s, level_s] : log_.series["buffer (s)"]) {
    EXPECT_GE(level_s, 0);
    EXPECT_LE(level_s, 6 + 4);
  }
}

TEST_F(AbrTimelines, TheBandwidthIsThatOfTheTrace) {
  play("");
  const auto trace = static_cast<std::size_t>(player_->value<std::int32_t>("info.trace"));
  const auto all = abr::read_traces(PARK_SOURCE_DIR "/tests/data/abr/traces");
  for (const auto& [time_s, mbps] : log_.series["bandwidth (Mbps)"])
    EXPECT_TRUE(std::ranges::any_of(all[trace].mbps, [m = mbps](double b) {
      return std::abs(b - m) < 1e-9;
    })) << mbps;
  EXPECT_GT(log_.series["bandwidth (Mbps)"].size(), 16u);
  EXPECT_EQ(log_.series["bitrate (Mbps)"].size(), 16u);
}

TEST_F(AbrTimelines, NothingIsReportedAfterTheHorizon) {
  play("", 20);
  for (const auto& [lane, spans] : log_.spans) {
    EXPECT_NEAR(spans.back().end_s, 20, 1e-9) << lane;
  }
  for (const auto& [name, values] : log_.series) {
    EXPECT_LE(values.back().first, 20 + 1e-9) << name;
  }
}

}  // namespace timeline_test
}  // namespace park::test
