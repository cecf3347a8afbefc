// Measured latencies: sizes, fits, tables.
#include "systems/dl_inference_live/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "park/envs/dl_inference/application.h"

namespace park::inference {
namespace {

using testing::ElementsAre;

/// Counts its runs.
class CountedModel final : public Model {
 public:
  [[nodiscard]] std::size_t inputs() const noexcept override { return 3; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 2; }
  void run(std::size_t batch, std::span<const float> in, std::span<float> out) override {
    EXPECT_GE(in.size(), 3 * batch);
    EXPECT_GE(out.size(), 2 * batch);
    ++runs[batch];
    order.push_back(batch);
  }
  std::map<std::size_t, std::size_t> runs;
  std::vector<std::size_t> order;
};

LatencyProfile profile_of(const std::vector<std::pair<std::size_t, double>>& medians) {
  LatencyProfile p{.name = "net"};
  for (const auto& [batch, time_s] : medians)
    p.times.push_back({batch, {time_s, time_s}, {0.5 * time_s, time_s}});
  return p;
}

TEST(InferenceProfile, MeasuresAllSizesUpToSixteenThenEightPerDoubling) {
  EXPECT_THAT(profile_sizes(1, false), ElementsAre(1));
  EXPECT_THAT(profile_sizes(5, false), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(profile_sizes(5, true), ElementsAre(1, 2, 4, 5));
  const std::vector<std::size_t> sizes = profile_sizes(64, false);
  EXPECT_EQ(sizes.size(), 32u);
  EXPECT_EQ(sizes[16], 18u);
  EXPECT_EQ(sizes[24], 36u);
  EXPECT_EQ(sizes.back(), 64u);
}

TEST(InferenceProfile, RunsEachSizeSoOftenInRandomOrder) {
  CountedModel model, other;
  const auto profiles = measure({{"net", model, 8}, {"other", other, 3}},
                                {.repeats = 30, .warm_up = 0}, [] { return true; });
  ASSERT_EQ(profiles.size(), 2u);
  EXPECT_EQ(profiles[1].name, "other");
  EXPECT_EQ(profiles[1].times.size(), 3u);
  EXPECT_EQ(other.order.size(), 90u);
  const LatencyProfile& p = profiles[0];
  ASSERT_EQ(p.times.size(), 8u);
  for (std::size_t k = 1; k <= 8; ++k) {
    EXPECT_EQ(model.runs[k], 30u);
    EXPECT_EQ(p.times[k - 1].batch, k);
    EXPECT_LE(p.times[k - 1].wall.p50_s, p.times[k - 1].wall.p90_s);
  }
  const std::vector<std::size_t> first(model.order.begin(), model.order.begin() + 8),
      second(model.order.begin() + 8, model.order.begin() + 16);
  EXPECT_NE(first, second);
}

TEST(InferenceProfile, TakesTheModelsInTurns) {
  std::vector<int> order;
  struct Told final : Model {
    Told(std::vector<int>& to, int me) : order(to), number(me) {}
    [[nodiscard]] std::size_t inputs() const noexcept override { return 1; }
    [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
    void run(std::size_t, std::span<const float>, std::span<float>) override {
      order.push_back(number);
    }
    std::vector<int>& order;
    int number;
  } first(order, 0), second(order, 1);
  static_cast<void>(measure({{"first", first, 1}, {"second", second, 1}},
                            {.repeats = 40, .warm_up = 3}, [] { return true; }));
  ASSERT_EQ(order.size(), 86u);
  for (std::size_t r = 3; r < 43; ++r) EXPECT_NE(order[2 * r], order[2 * r + 1]) << r;
  EXPECT_TRUE(measure({{"first", first, 1}}, {}, [] { return false; }).empty());
}

TEST(InferenceProfile, FitsALineAndTellsTheWorstError) {
  const LatencyFit line = profile_of({{1, 0.3}, {2, 0.4}, {4, 0.6}}).fit(ProfileClock::wall);
  EXPECT_NEAR(line.a_s, 0.2, 1e-12);
  EXPECT_NEAR(line.b_s, 0.1, 1e-12);
  EXPECT_NEAR(line.worst_error, 0, 1e-9);
  const LatencyFit half = profile_of({{1, 0.3}, {2, 0.4}, {4, 0.6}}).fit(ProfileClock::cpu);
  EXPECT_NEAR(half.b_s, 0.05, 1e-12);
  // Least squares through (1, 1), (2, 1), (3, 4): b = 1.5, a = -1, off by 1 at k = 2.
  const LatencyFit bent = profile_of({{1, 1}, {2, 1}, {3, 4}}).fit(ProfileClock::wall);
  EXPECT_NEAR(bent.b_s, 1.5, 1e-12);
  EXPECT_NEAR(bent.worst_error, 1, 1e-9);
}

TEST(InferenceProfile, SaysHowFarTheClocksAreApart) {
  EXPECT_NEAR(profile_of({{1, 0.3}}).clock_gap(), 0.5, 1e-12);
  const auto model = make_model({.kind = "delay", .a_s = 0.002, .b_s = 0});
  const LatencyProfile p =
      measure({{"sleeper", *model, 1}}, {.repeats = 5, .warm_up = 0}, [] { return true; }).at(0);
  EXPECT_GE(p.times[0].wall.p50_s, 0.002);
  EXPECT_GT(p.clock_gap(), 0.2) << "who sleeps uses no processor";
}

TEST(InferenceProfile, WritesATableThatTheSimulatorReads) {
  // The third median is below the second, which noise can do.
  const std::string text =
      table_text({profile_of({{1, 0.3}, {2, 0.5}, {4, 0.4}})}, ProfileClock::wall);
  const auto table = dl_inference::LatencyTable::parse(text, "written");
  ASSERT_EQ(table.apps().size(), 1u);
  EXPECT_EQ(table.apps()[0].name, "net");
  EXPECT_THAT(table.apps()[0].latency_s, ElementsAre(0, 0.3, 0.5, 0.5, 0.5));
  EXPECT_EQ(table_text(table.apps()),
            "app,batch,latency_s\nnet,1,0.3\nnet,2,0.5\nnet,3,0.5\nnet,4,0.5\n");
}

}  // namespace
}  // namespace park::inference
