// How long tasks take: waves, levels, and what takes the place of what was not measured.
#include "park/envs/dag_scheduling/durations.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/envs/dag_scheduling/fixture.h"

namespace park::test {
namespace durations_test {

using dag_scheduling::DurationOptions;
using dag_scheduling::DurationTable;
using dag_scheduling::to_ticks;
using dag_scheduling::Wave;

DurationTable table(const Cells& cells, const DurationOptions& options,
                    const dag_scheduling::Inflation& inflation = {}) {
  dag_scheduling::WorkloadBuilder builder("test", "made by a test", inflation);
  builder.add_job({"job", {constant_stage(1, 77), stage(1, {}, cells)}});
  return {std::make_shared<const dag_scheduling::Workload>(builder.build()), options};
}

/// Shares of the durations in ms of the second stage.
std::map<double, double> shares(const DurationTable& t, Wave wave, std::int32_t executors) {
  constexpr int kDraws = 40'000;
  Rng rng(5);
  std::map<double, double> found;
  const auto mix = t.mix(1, executors);
  for (int i = 0; i < kDraws; ++i)
    found[static_cast<double>(t.draw(mix, wave, rng.bits())) / 1000] += 1.0 / kDraws;
  return found;
}
double only(const DurationTable& t, Wave wave, std::int32_t executors) {
  const auto found = shares(t, wave, executors);
  EXPECT_EQ(found.size(), 1u);
  return found.begin()->first;
}

const Cells kLevels = {{Wave::rest, 5, {50}},   {Wave::rest, 10, {100}},
                       {Wave::first, 5, {500}}, {Wave::first, 10, {900}},
                       {Wave::rest, 2, {20}},   {Wave::fresh, 10, {2000}}};

TEST(DagDurations, SamplesAreUniform) {
  const DurationTable t = table({{Wave::rest, 4, {1, 2, 3, 4, 5}}}, {});
  for (const auto& [ms, share] : shares(t, Wave::rest, 4)) EXPECT_NEAR(share, 0.2, 0.01) << ms;
}

TEST(DagDurations, CorrectInterpolatesBetweenLevels) {
  const DurationTable t = table(kLevels, {});
  EXPECT_EQ(only(t, Wave::rest, 1), 20);
  EXPECT_EQ(only(t, Wave::rest, 2), 20);
  EXPECT_EQ(only(t, Wave::rest, 5), 50);
  EXPECT_EQ(only(t, Wave::rest, 10), 100);
  EXPECT_EQ(only(t, Wave::rest, 11), 100);
  EXPECT_NEAR(shares(t, Wave::rest, 6)[50], 0.8, 0.01);
  EXPECT_NEAR(shares(t, Wave::rest, 9)[50], 0.2, 0.01);
  EXPECT_NEAR(shares(t, Wave::rest, 3)[20], 2.0 / 3, 0.01);
}

TEST(DagDurations, CompatInterpolatesTheWrongWayAndIgnoresSmallLevels) {
  const DurationTable t = table(kLevels, {.compat = true});
  EXPECT_EQ(only(t, Wave::rest, 1), 50);
  EXPECT_EQ(only(t, Wave::rest, 3), 50);
  EXPECT_NEAR(shares(t, Wave::rest, 6)[50], 0.2, 0.01);
  EXPECT_NEAR(shares(t, Wave::rest, 9)[50], 0.8, 0.01);
  EXPECT_EQ(only(t, Wave::rest, 10), 100);
  EXPECT_EQ(only(t, Wave::rest, 70), 100);
  EXPECT_EQ(only(t, Wave::rest, 300), 100);
}

/// A stage with fewer tasks was measured at 13 at most: beyond 10 that level comes in.
TEST(DagDurations, CompatTakesTheLargestLevelForOneThatIsMissing) {
  const DurationTable t = table({{Wave::rest, 5, {5}},
                                 {Wave::rest, 10, {10}},
                                 {Wave::rest, 12, {12}},
                                 {Wave::rest, 13, {13}}},
                                {.compat = true});
  EXPECT_NEAR(shares(t, Wave::rest, 12)[10], 0.2, 0.01);
  EXPECT_NEAR(shares(t, Wave::rest, 12)[13], 0.8, 0.01);
  EXPECT_EQ(only(t, Wave::rest, 20), 13);
  EXPECT_EQ(only(t, Wave::rest, 45), 13);
}

TEST(DagDurations, WavesThatWereNotMeasured) {
  for (const bool compat : {false, true}) {
    const DurationTable t = table(kLevels, {.compat = compat, .warmup = to_ticks(1)});
    EXPECT_EQ(only(t, Wave::fresh, 10), 2000);  // measured, the warm-up is in it
    EXPECT_EQ(only(t, Wave::fresh, 5), 1500);   // first and the warm-up
    EXPECT_EQ(only(t, Wave::first, 5), 500);
  }
  const DurationTable t = table({{Wave::fresh, 5, {700}}, {Wave::first, 10, {400}}}, {});
  EXPECT_EQ(only(t, Wave::first, 5), 700);
  EXPECT_EQ(only(t, Wave::rest, 5), 700);
  EXPECT_EQ(only(t, Wave::rest, 10), 400);
}

TEST(DagDurations, NearestLevelThatHasTheWave) {
  const DurationTable t =
      table({{Wave::rest, 2, {20}}, {Wave::rest, 4, {40}}, {Wave::first, 8, {80}}},
            {.warmup = to_ticks(1)});
  EXPECT_EQ(only(t, Wave::first, 4), 80);
  EXPECT_EQ(only(t, Wave::fresh, 2), 1080);
  EXPECT_EQ(only(t, Wave::rest, 8), 80);
  const DurationTable rest = table({{Wave::rest, 2, {20}}}, {.warmup = to_ticks(1)});
  EXPECT_EQ(only(rest, Wave::first, 2), 20);
  EXPECT_EQ(only(rest, Wave::fresh, 9), 1020);
}

TEST(DagDurations, InflationBeyondTheLargestLevel) {
  dag_scheduling::Inflation growth;
  growth.present = true;
  growth.growth = {{{0.1, 1}, {0.5, 1}, {0.1, 1}}};
  growth.fitted_to = 31;
  const DurationTable t = table(kLevels, {.warmup = to_ticks(1)}, growth);
  EXPECT_EQ(only(t, Wave::rest, 10), 100);
  EXPECT_NEAR(only(t, Wave::rest, 20), 100 * (1 + 0.1 * 19) / (1 + 0.1 * 9), 1e-3);
  EXPECT_NEAR(only(t, Wave::first, 20), 900 * (1 + 0.5 * 19) / (1 + 0.5 * 9), 1e-3);
  EXPECT_NEAR(only(t, Wave::rest, 80), 100 * (1 + 0.1 * 30) / (1 + 0.1 * 9), 1e-3);
  const DurationTable none = table(kLevels, {.inflate = false}, growth);
  EXPECT_EQ(only(none, Wave::rest, 20), 100);
  const DurationTable compat = table(kLevels, {.compat = true}, growth);
  EXPECT_EQ(only(compat, Wave::rest, 80), 100);
}

/// Waves of an executor that idles in its own job, and of one that leaves it and comes back.
TEST(DagDurations, WavesFollowTheExecutor) {
  const Cells cells{{Wave::fresh, 1, {4000}}, {Wave::first, 1, {2000}}, {Wave::rest, 1, {1000}}};
  const WorkloadFile workload({{"a", {stage(2, {}, cells), stage(2, {0}, cells)}}});
  const auto waves = [&](const std::string& semantics) {
    Game g("executors=1,jobs=1,moving_delay_s=0,semantics=" + semantics +
           ",workload=" + workload.path());
    EventLog log;
    g.env().events(&log);
    g.reset();
    while (!g.over()) g.choose_first();
    std::vector<double> found;
    for (const auto& e : log.spans)
      if (e.what != "moving") found.push_back(e.end_s - e.start_s);
    return found;
  };
  EXPECT_EQ(waves("correct"), (std::vector<double>{4, 1, 2, 1}));
  EXPECT_EQ(waves("compat"), (std::vector<double>{4, 1, 4, 1}));
}

}  // namespace durations_test
}  // namespace park::test
