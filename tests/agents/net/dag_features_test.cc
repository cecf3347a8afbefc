// Hand-made features of a cluster.
#include "agents/net/cluster/dag_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park::agents {
namespace dag_features_test {

using Features = std::array<float, DagFeatures::kStage + DagFeatures::kJob + DagFeatures::kCluster>;

/// Features of the only stage without parents at the start of a job.
Features of_root(const std::vector<dag_scheduling::StageProfile>& stages, std::size_t root) {
  const park::test::WorkloadFile workload({{"job", stages}});
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes episodes(Rng(1), {.count = 1});
  const auto stream = registry.stream(
      "dag_scheduling(executors=4,jobs=1,workload=" + workload.path() + ")", episodes, {});
  DagFeatures features(stream->spec());
  features.read(stream->recv({}).observation);
  Features all{};
  features.stage(0, features.place(0, static_cast<std::int32_t>(root)), all.data());
  features.job(0, 0, all.data() + DagFeatures::kStage);
  return all;
}

/// a -> b -> c -> d and a -> d, with the stages numbered in every way.
TEST(DagFeatures, DoNotDependOnHowStagesAreNumbered) {
  const std::array<std::uint32_t, 4> ms = {1000, 3000, 2000, 4000};
  const auto numbered = [&](const std::array<std::uint16_t, 4>& at) {
    std::vector<dag_scheduling::StageProfile> stages(4);
    const auto put = [&](std::size_t s, std::vector<std::uint16_t> parents) {
      for (std::uint16_t& p : parents) p = at[p];
      stages[at[s]] = park::test::constant_stage(static_cast<std::int32_t>(s) + 2, ms[s], parents);
    };
    put(0, {}), put(1, {0}), put(2, {1}), put(3, {0, 2});
    return of_root(stages, at[0]);
  };
  const Features expected = numbered({0, 1, 2, 3});
  constexpr std::size_t kDepth = 13;  // of the features of the stage
  EXPECT_FLOAT_EQ(expected[kDepth], 3.0f / 8);
  std::array<std::uint16_t, 4> order = {0, 1, 2, 3};
  while (std::next_permutation(order.begin(), order.end()))
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_FLOAT_EQ(numbered(order)[i], expected[i])
          << "feature " << i << " with a at " << order[0] << ", b " << order[1] << ", c "
          << order[2];
}

/// Features of the stage and the job of a cluster, after some random decisions, whose times are all
/// `factor` times as long.
std::vector<float> of_slower(unsigned factor, const DagFeaturesOptions& options) {
  const park::test::WorkloadFile workload({{"a",
                                            {park::test::constant_stage(30, 20 * factor),
                                             park::test::constant_stage(5, 300 * factor, {0})}},
                                           {"b", {park::test::constant_stage(12, 70 * factor)}}});
  park::test::Game g("executors=4,jobs=5,moving_delay_s=" + std::to_string(factor * 0.5) +
                     ",warmup_delay_s=" + std::to_string(factor * 0.25) +
                     ",workload=" + workload.path());
  g.reset({.inputs = 2});
  Rng rng(3);
  for (int n = 0; n < 9; ++n) g.choose_random(rng);
  Batch rows(g.spec().observation);
  rows.append(g.row().batch(), g.row().index());
  DagFeatures features(g.spec(), options);
  features.read(rows);
  const auto stage = static_cast<std::size_t>(g.legal().at(0));
  std::vector<float> all(DagFeatures::kStage + features.each() + DagFeatures::kAmount);
  features.stage(0, features.place(0, static_cast<std::int32_t>(stage)), all.data());
  features.job(0, features.job_of(0, stage), all.data() + DagFeatures::kStage);
  features.amount(0, stage, 1, features.most(0, stage),
                  all.data() + DagFeatures::kStage + features.each());
  return all;
}

TEST(DagFeatures, InTasksDoNotDependOnTheSpeedOfTheCluster) {
  const std::vector<float> fast = of_slower(1, {.unit = TimeUnit::row_task}),
                           slow = of_slower(64, {.unit = TimeUnit::row_task});
  ASSERT_EQ(fast.size(), slow.size());
  for (std::size_t i = 0; i < fast.size(); ++i)
    EXPECT_NEAR(fast[i], slow[i], 2e-4) << "feature " << i;
  EXPECT_NE(of_slower(1, {}), of_slower(64, {}));
}

TEST(DagFeatures, InTasksTellTheDelays) {
  const std::vector<float> all = of_slower(1, {.unit = TimeUnit::row_task});
  const float* more = all.data() + DagFeatures::kStage + DagFeatures::kJob + DagFeatures::kCluster;
  EXPECT_GT(more[0], more[1]);
  EXPECT_GT(more[1], 0);
  EXPECT_NEAR(more[2], std::log(1 + 4.0F) / 5, 1e-5);
}

TEST(DagFeatures, LeaveOutAGroupAndNothingElse) {
  const std::vector<float> all = of_slower(1, {.unit = TimeUnit::row_task});
  // Where the features of jobs and of amounts begin.
  constexpr std::size_t kJobs = DagFeatures::kStage;
  const std::size_t amounts = all.size() - DagFeatures::kAmount;
  const auto left_out = [&](std::string_view group) {
    const std::vector<float> some = of_slower(1, {.unit = TimeUnit::row_task, .without = group});
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (some[i] == all[i]) continue;
      EXPECT_EQ(some[i], 0) << group << ", feature " << i;
      places.push_back(i);
    }
    return places;
  };
  EXPECT_EQ(left_out("waves"), std::vector({amounts + 6, amounts + 7, amounts + 8}));
  for (const std::size_t place : left_out("ranks")) EXPECT_TRUE(place >= kJobs && place < amounts);
  for (const std::size_t place : left_out("cluster"))
    EXPECT_TRUE(place >= kJobs + DagFeatures::kJob && place < amounts);
  for (const char* group : {"graph", "ranks", "caps", "cluster"})
    EXPECT_FALSE(left_out(group).empty()) << group;
  EXPECT_THROW(of_slower(1, {.without = "speed"}), Error);
}

/// The two features of arrivals at the decisions of an episode with five jobs, and what they should
/// be by the leaves.
void expect_arrivals(const std::string& fields, bool durations, bool known) {
  const park::test::WorkloadFile workload({{"a", {park::test::constant_stage(30, 2000)}}});
  park::test::Game g("executors=4,jobs=5,workload=" + workload.path() + fields);
  g.reset({.inputs = 2});
  DagFeatures features(g.spec(), {.durations = durations, .arrivals = true});
  ASSERT_EQ(features.each(), DagFeatures::kJob + DagFeatures::kCluster + DagFeatures::kArrivals);
  bool seen = false;
  Rng rng(3);
  for (int n = 0; n < 40 && !g.over(); ++n, g.choose_random(rng)) {
    Batch rows(g.spec().observation);
    rows.append(g.row().batch(), g.row().index());
    features.read(rows);
    std::vector<float> job(features.each());
    features.job(0, 0, job.data());
    const auto number = rows.row(0)[rows.field<std::int32_t>("job.id")].back();
    const auto arrival_s = rows.row(0)[rows.field<double>("job.arrival_s")].back();
    const double interval_s = number > 0 ? arrival_s / number : 0;
    seen = seen || interval_s > 0;
    EXPECT_NEAR(job[job.size() - 2], std::log(1 + interval_s) / 5, 1e-5);
    // Every job has 60 s of work for 4 executors.
    const double load = durations && interval_s > 0 ? std::min(4.0, 60 / (4 * interval_s)) : 0;
    EXPECT_NEAR(job.back(), load, 1e-4);
  }
  EXPECT_EQ(seen, known);
}

TEST(DagFeatures, TellHowOftenJobsArrive) {
  expect_arrivals(",arrival=poisson,interval_s=20", true, true);
  expect_arrivals(",arrival=poisson,interval_s=20", false, true);
  expect_arrivals("", true, false);
}

/// Three small executors and a large one; only that runs the second stage.
TEST(DagFeatures, TellWhichExecutorsCanRunAStage) {
  std::vector<dag_scheduling::StageProfile> stages = {park::test::constant_stage(8, 1000),
                                                      park::test::constant_stage(4, 1000)};
  stages[0].memory = 0.2F, stages[1].memory = 0.8F;
  const park::test::WorkloadFile workload({{"a", stages}});
  park::test::Game g(
      "executors=4,jobs=1,classes=[class(share=0.75,memory=0.25),class(share=0.25,memory=1)],"
      "workload=" +
      workload.path());
  g.reset();
  Batch rows(g.spec().observation);
  rows.append(g.row().batch(), g.row().index());
  DagFeatures features(g.spec(), {.classes = true});
  features.read(rows);
  const auto fit = [&](std::size_t stage) {
    std::vector<float> all(features.of_stage());
    features.stage(0, stage, all.data());
    return std::vector<float>(all.end() - DagFeatures::kFit, all.end());
  };
  const float cpus = stages[0].cpus / rows.row(0)[rows.field<float>("class.cpus")][0];
  EXPECT_EQ(fit(0), (std::vector<float>{cpus, 0.2F, 1, 1}));
  EXPECT_EQ(fit(1), (std::vector<float>{cpus, 0.8F, 0.25F, 0.25F}));
  EXPECT_EQ(features.most(0, 0), 3);  // an answer takes executors of one class
  EXPECT_EQ(features.most(0, 1), 1);
  EXPECT_EQ(DagFeatures(g.spec()).of_stage(), features.of_stage() - DagFeatures::kFit);
}

/// A job whose deadline has passed before its second stage can begin.
TEST(DagFeatures, TellTheTimeUntilTheDeadline) {
  const park::test::WorkloadFile workload(
      {{"a", {park::test::constant_stage(20, 1000), park::test::constant_stage(4, 1000, {0})}}});
  park::test::Game g("executors=4,jobs=1,deadline_factor=0.5,workload=" + workload.path());
  g.reset();
  DagFeatures features(g.spec(), {.deadlines = true});
  ASSERT_EQ(features.each(), DagFeatures::kJob + DagFeatures::kCluster + DagFeatures::kDeadline);
  bool late = false;
  for (; !g.over(); g.choose_first()) {
    Batch rows(g.spec().observation);
    rows.append(g.row().batch(), g.row().index());
    features.read(rows);
    std::vector<float> job(features.each());
    features.job(0, 0, job.data());
    const double left_s = rows.row(0)[rows.field<double>("info.deadline_s")][0] - g.now();
    const double work_s = rows.row(0)[rows.field<float>("job.work_left_s")][0];
    const double distance = std::log(1 + std::abs(left_s)) / 6;
    EXPECT_NEAR(job[job.size() - 3], std::copysign(distance, left_s), 1e-5);
    EXPECT_NEAR(job[job.size() - 2], left_s > 0 ? std::min(3.0, work_s / (4 * left_s)) : 0, 1e-5);
    EXPECT_EQ(job.back(), left_s <= 0 ? 1 : 0);
    late = late || left_s <= 0;
  }
  EXPECT_TRUE(late);
  EXPECT_THROW(DagFeatures(park::test::Game("executors=4,jobs=1").spec(), {.deadlines = true}),
               Error);
}

TEST(DagFeatures, RefuseEdgesThatGoRoundInACircle) {
  const park::test::WorkloadFile workload(
      {{"job", {park::test::constant_stage(2, 1000), park::test::constant_stage(2, 1000, {0})}}});
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes episodes(Rng(1), {.count = 1});
  const auto stream = registry.stream(
      "dag_scheduling(executors=4,jobs=1,workload=" + workload.path() + ")", episodes, {});
  Batch rows(stream->spec().observation);
  rows.append(stream->recv({}).observation, 0);
  rows.row(0)[rows.field<std::int32_t>("edge.parent")][0] = 1;
  DagFeatures features(stream->spec());
  EXPECT_THROW(features.read(rows), Error);
}

}  // namespace dag_features_test
}  // namespace park::agents
