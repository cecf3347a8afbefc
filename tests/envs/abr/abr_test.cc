// The simulator of abr against sessions that are worked out by hand, and against identities that
// hold for any session.
#include "park/envs/abr/abr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "tests/envs/abr/fixture.h"

namespace park::test {
namespace abr_test {

const std::string kData = PARK_SOURCE_DIR "/tests/data/abr/";
const std::string kSmall = "traces=" + kData + "traces,video=" + kData + "video";

Episode episode(std::uint64_t k) {
  return {.id = k, .inputs = Rng(7).split(k).bits(), .dynamics = Rng(8).split(k).bits()};
}

/// 8 Mbps all the time: 950 000 bytes of video per second at a payload of 0.95.
class ConstantBandwidth : public ::testing::Test {
 protected:
  ConstantBandwidth()
      : traces_{{"constant", "0 8\n1000 8\n"}},
        video_{{"0", lines("475000")}, {"1", lines("3800000")}, {"2", lines("9500000")}},
        starts_{{"starts", "1\n"}} {}

  static std::string lines(const std::string& size) {
    std::string all;
    for (int i = 0; i < 7; ++i) all += size + "\n";
    return all;
  }
  [[nodiscard]] std::string text(const std::string& more = "") const {
    return "abr(traces=" + traces_.path() + ",video=" + video_.path() +
           ",starts=" + starts_.path() + "/starts,rates_kbps=[300,750,1200],buffer_s=8" + more +
           ")";
  }

  TemporaryFolder traces_, video_, starts_;
};

TEST_F(ConstantBandwidth, IsAsWorkedOutByHand) {
  AbrPlayer p(text());
  p.reset({});
  // 0.5 s of transfer and 0.08 s of round trip, all of it before there is anything to play
  EXPECT_NEAR(p.value("info.time_s"), 0.58, 1e-12);
  EXPECT_NEAR(p.value("buffer.level_s"), 4, 1e-12);
  EXPECT_EQ(p.value<float>("chunk.left"), 5);
  EXPECT_NEAR(p.values("history.throughput_mbps").back(), 3.8 / 0.58, 1e-12);
  EXPECT_NEAR(p.values("history.download_s").back(), 0.58, 1e-12);

  Outcome o = p.step(2);  // 10.08 s, of which 4 s are played
  EXPECT_NEAR(o.elapsed_s, 10.08, 1e-12);
  EXPECT_NEAR(o.reward, 1.2 - 4.3 * 6.08 - (1.2 - 0.3), 1e-12);
  EXPECT_NEAR(p.value("buffer.level_s"), 4, 1e-12);

  o = p.step(1);  // 4.08 s
  EXPECT_NEAR(o.reward, 0.75 - 4.3 * 0.08 - (1.2 - 0.75), 1e-12);
  EXPECT_NEAR(p.value("info.time_s"), 0.58 + 10.08 + 4.08, 1e-12);

  o = p.step(0);
  EXPECT_NEAR(o.reward, 0.3 - (0.75 - 0.3), 1e-12);
  EXPECT_NEAR(p.value("buffer.level_s"), 4 - 0.58 + 4, 1e-12);

  o = p.step(0);  // 7.42 - 0.58 + 4 = 10.84 is 2.84 above the capacity: six steps of 0.5 s
  EXPECT_NEAR(o.elapsed_s, 0.58 + 3, 1e-12);
  EXPECT_NEAR(p.value("buffer.level_s"), 7.84, 1e-12);
  EXPECT_NEAR(o.reward, 0.3, 1e-12);
  EXPECT_EQ(o.end, End::none);

  o = p.step(0);  // the last one: nothing to wait for
  EXPECT_NEAR(o.elapsed_s, 0.58, 1e-12);
  EXPECT_EQ(o.end, End::terminated);
  EXPECT_EQ(p.value<float>("chunk.left"), 0);
  EXPECT_NEAR(p.metric("qoe"),
              (1.2 - 4.3 * 6.08 - 0.9 + 0.75 - 4.3 * 0.08 - 0.45 + 0.3 - 0.45 + 0.3 + 0.3) / 5,
              1e-12);
  EXPECT_NEAR(p.metric("stall_s"), 6.16, 1e-12);
  EXPECT_NEAR(p.metric("startup_s"), 0.58, 1e-12);
  EXPECT_NEAR(p.metric("bitrate_mbps"), (1.2 + 0.75 + 3 * 0.3) / 5, 1e-12);
  EXPECT_EQ(p.metric("switches"), 3);
  EXPECT_EQ(p.metric("chunks_done"), 6);
}

TEST_F(ConstantBandwidth, AnyNumberOfChunksRepeatsTheVideo) {
  AbrPlayer p(text(",chunks=20"));
  EXPECT_EQ(p.play({}, [](std::size_t) { return 0; }).size(), 19u);
  EXPECT_EQ(p.metric("chunks_done"), 20);
}

TEST_F(ConstantBandwidth, TheFirstChunkHasTheQualityOfTheConfiguration) {
  AbrPlayer p(text(",first_quality=2"));
  p.reset({});
  EXPECT_NEAR(p.value("info.time_s"), 10.08, 1e-12);
  EXPECT_EQ(p.value<std::int32_t>("last.quality"), 2);
  EXPECT_NEAR(p.step(2).reward, 1.2 - 4.3 * 6.08, 1e-12);  // no change against the first
}

TEST_F(ConstantBandwidth, AHorizonDuringADownloadCountsTheStallUntilThen) {
  AbrPlayer p(text());
  Episode e;
  e.horizon_s = 0.58 + 5;  // 4 s are played, 1 s is stall
  p.reset(e);
  const Outcome o = p.step(2);
  EXPECT_EQ(o.end, End::truncated);
  EXPECT_NEAR(o.elapsed_s, 5, 1e-12);
  EXPECT_NEAR(o.reward, -4.3, 1e-12);
  EXPECT_NEAR(p.value("buffer.level_s"), 0, 1e-12);
  EXPECT_EQ(p.metric("chunks_done"), 1);
}

TEST_F(ConstantBandwidth, NoiseMultipliesDownloadTimesAndIsDrawnByChunk) {
  AbrPlayer p(text(",noise=0.1"));
  const Episode e = episode(3);
  p.reset(e);
  const double first = p.value("info.time_s") / 0.58;
  EXPECT_GE(first, 0.9);
  EXPECT_LT(first, 1.1);
  EXPECT_NE(first, 1);
  static_cast<void>(p.step(0));
  const double low = p.values("history.download_s").back() / 0.58;
  p.reset(e);
  static_cast<void>(p.step(2));
  EXPECT_NEAR(p.values("history.download_s").back() / 10.08, low, 1e-12);
}

class Traces : public ::testing::Test {
 protected:
  // interval 1: 8 Mbps from 0 to 1 s; interval 2: 4 Mbps from 1 s to 3 s
  Traces() : link_({.name = "", .time_s = {0, 1, 3}, .mbps = {5, 8, 4}}) {}
  abr::Link link_;
};

TEST_F(Traces, TheBandwidthOfALineBelongsToTheTimeBeforeIt) {
  abr::LinkPosition p = link_.start(1);
  EXPECT_NEAR(link_.transfer(p, 500'000, 1), 0.5, 1e-12);
  EXPECT_EQ(p.interval, 1u);
  EXPECT_NEAR(link_.transfer(p, 1'000'000, 1), 0.5 + 1, 1e-12);  // 500 000 in each interval
  EXPECT_EQ(p.interval, 2u);
  EXPECT_NEAR(p.at_s, 2, 1e-12);
}

TEST_F(Traces, AfterTheLastIntervalComesTheFirstAtTimeZero) {
  abr::LinkPosition p = link_.start(2);
  EXPECT_NEAR(p.at_s, 1, 1e-12);
  EXPECT_NEAR(link_.transfer(p, 1'500'000, 1), 2 + 0.5, 1e-12);
  EXPECT_EQ(p.interval, 1u);
  EXPECT_NEAR(p.at_s, 0.5, 1e-12);
  link_.pass(p, 0.5 + 2 + 0.25);
  EXPECT_EQ(p.interval, 1u);
  EXPECT_NEAR(p.at_s, 0.25, 1e-12);
}

TEST_F(Traces, APayloadIsAPartOfTheBandwidth) {
  abr::LinkPosition p = link_.start(1);
  EXPECT_NEAR(link_.transfer(p, 250'000, 0.5), 0.5, 1e-12);
}

TEST_F(Traces, WholeRoundsAreTheSameAtOnceAndOneByOne) {
  abr::LinkPosition p = link_.start(1), q = link_.start(1);  // 2e6 bytes in 3 s
  EXPECT_NEAR(link_.transfer(p, 2e9 + 500'000, 1), 3000 + 0.5, 1e-6);
  double sum_s = 0;
  for (int i = 0; i < 1000; ++i) sum_s += link_.transfer(q, 2e6, 1);
  sum_s += link_.transfer(q, 500'000, 1);
  EXPECT_NEAR(sum_s, 3000.5, 1e-6);
  EXPECT_EQ(p.interval, q.interval);
  EXPECT_NEAR(p.at_s, q.at_s, 1e-6);
  link_.pass(p, 3e9 + 1);
  EXPECT_NEAR(p.at_s, 1.5, 1e-6);  // half a second of interval 1, half a second of 2
}

TEST_F(Traces, AnOutageIsWaitedFor) {
  const abr::Link link({.name = "", .time_s = {0, 1, 3, 4}, .mbps = {8, 8, 0, 8}});
  abr::LinkPosition p = link.start(2);
  EXPECT_NEAR(link.transfer(p, 500'000, 1), 2.5, 1e-12);
}

TEST(AbrInputs, AreDrawnFromTheEpisode) {
  AbrPlayer p("abr(" + kSmall + ",rates_kbps=[300,750,1200])");
  std::vector<int> seen(3);
  for (std::uint64_t k = 0; k < 300; ++k) {
    p.reset(episode(k));
    ++seen[static_cast<std::size_t>(p.value<std::int32_t>("info.trace"))];
  }
  for (const int n : seen) EXPECT_NEAR(n, 100, 40);
}

TEST(AbrInputs, StartsMakeEpisodeKPlayTraceK) {
  const TemporaryFolder starts{{"starts", "3\n1\n17\n"}};
  AbrPlayer p("abr(" + kSmall + ",rates_kbps=[300,750,1200],starts=" + starts.path() + "/starts)");
  for (std::uint64_t k = 0; k < 7; ++k) {
    p.reset(episode(k));
    EXPECT_EQ(p.value<std::int32_t>("info.trace"), static_cast<double>(k % 3));
  }
}

/// What must hold for any session of any configuration.
class AbrIdentities : public ::testing::TestWithParam<const char*> {};

TEST_P(AbrIdentities, Hold) {
  AbrPlayer p("abr(" + kSmall + ",rates_kbps=[300,750,1200]," + GetParam() + ")");
  const abr::QoeTable qoe = p.config.qoe_table();
  for (std::uint64_t k = 0; k < 20; ++k) {
    Rng draw(k);
    double sum = 0;
    for (const Outcome& o :
         p.play(episode(k), [&](std::size_t) { return static_cast<int>(draw.below(3)); }))
      sum += o.reward;
    const double n = p.metric("chunks_done") - 1;
    EXPECT_NEAR(sum, n * p.metric("qoe"), 1e-9);
    EXPECT_NEAR(p.metric("qoe"),
                p.metric("quality") - qoe.stall_penalty * p.metric("stall_s") / n -
                    p.metric("quality_change"),
                1e-9);
    // What was fetched is played or in the buffer, and whoever does not play waits for video.
    const double played_s = (n + 1) * p.config.chunk_s - p.value("buffer.level_s");
    EXPECT_NEAR(p.value("info.time_s"), p.metric("startup_s") + p.metric("stall_s") + played_s,
                1e-9);
    EXPECT_LE(p.metric("qoe"), *std::ranges::max_element(qoe.score));
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, AbrIdentities,
                         ::testing::Values("qoe=lin", "qoe=log", "qoe=hd,hd_scores=[1,2,12]",
                                           "buffer_s=9,chunks=50", "noise=0.2,rtt_s=0.5"));

TEST(AbrQoe, HasThreeForms) {
  abr::AbrConfig c;
  EXPECT_EQ(c.qoe_table().score, (std::vector{0.3, 0.75, 1.2, 1.85, 2.85, 4.3}));
  EXPECT_EQ(c.qoe_table().stall_penalty, 4.3);
  c.qoe = "log";
  EXPECT_EQ(c.qoe_table().score[0], 0);
  EXPECT_NEAR(c.qoe_table().score[5], std::log(4300.0 / 300), 1e-12);
  EXPECT_EQ(c.qoe_table().stall_penalty, 2.66);
  c.qoe = "hd";
  EXPECT_EQ(c.qoe_table().score, (std::vector<double>{1, 2, 3, 12, 15, 20}));
  EXPECT_EQ(c.qoe_table().stall_penalty, 8);
  EXPECT_NEAR(c.qoe_table().of(3, 1, 0.5), 12 - 4 - 10, 1e-12);
}

}  // namespace abr_test
}  // namespace park::test
