// model=allreduce: goodput, grants that stay, the cost of changes, and heSRPT's closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "park/envs/dl_cluster/goodput.h"
#include "tests/envs/dl_cluster/fixture.h"

namespace park::test {
namespace allreduce_test {

using dl_cluster::goodput;
using dl_cluster::kTrainingTypes;
using dl_cluster::step_time_s;
using dl_cluster::TrainingType;

const std::string kSmall = "dl_cluster(model=allreduce,nodes=4,jobs=20,span_s=7200,max_slots=40000";

class AllReduce : public ::testing::Test, protected ClusterPlayer {};

TEST_F(AllReduce, StepTimeIsThatOfTheFormula) {
  const TrainingType& t = kTrainingTypes[0];
  EXPECT_NEAR(step_time_s(t, 1, 100, 0, false), 0.02 + 0.06, 1e-12);
  EXPECT_NEAR(step_time_s(t, 1, 100, 2, false), 3 * 0.08, 1e-12);
  const double sync_s = 2 * 0.75 * 45 / 1250 + 3e-4;
  EXPECT_NEAR(step_time_s(t, 4, 100, 1, true),
              0.08 + std::pow(std::pow(0.08, 1.6) + std::pow(sync_s, 1.6), 1 / 1.6), 1e-12);
  EXPECT_LT(step_time_s(t, 4, 100, 1, false), step_time_s(t, 4, 100, 1, true));
}

TEST_F(AllReduce, GoodputGrowsWithNoiseAndFallsAcrossNodes) {
  for (const TrainingType& t : kTrainingTypes) {
    EXPECT_GT(goodput(t, t.noise, 4, false), goodput(t, t.noise, 1, false));
    EXPECT_GE(goodput(t, t.noise, 4, false), goodput(t, t.noise, 4, true));
    const double early = goodput(t, t.noise, 32, true) / goodput(t, t.noise, 1, false);
    const double noise = t.noise * (1 + t.noise_growth);
    const double late = goodput(t, noise, 32, true) / goodput(t, noise, 1, false);
    EXPECT_GT(late, early);
    EXPECT_LE(late, 32);
  }
}

/// The numbers of GPUs whose speed-up is half to four fifths of the ideal one.
TEST_F(AllReduce, UsersAskForWhatTheyHaveTuned) {
  using Gpus = std::vector<std::int32_t>;
  const auto tuned = [](std::size_t type, const dl_cluster::DlClusterConfig& c) {
    return dl_cluster::tuned_requests(c, type);
  };
  const dl_cluster::DlClusterConfig all{.model = "allreduce"};
  EXPECT_EQ(tuned(0, all), Gpus{4});
  EXPECT_EQ(tuned(1, all), (Gpus{2, 4}));
  EXPECT_EQ(tuned(2, all), (Gpus{2, 4}));
  EXPECT_EQ(tuned(3, all), Gpus{4});
  EXPECT_EQ(tuned(4, all), (Gpus{8, 12, 16, 20, 24, 28, 32}));
  // 2 GPUs give 0.89 of the ideal, and there are no more.
  EXPECT_EQ(tuned(0, {.model = "allreduce", .max_gpus = 2}), Gpus{2});
  // k^(1/2) / k: 0.71 and 0.5.
  EXPECT_EQ(tuned(0, {.model = "allreduce", .power = 0.5}), (Gpus{2, 4}));
}

TEST_F(AllReduce, LostRewardsAreTheHoursBeyondTheBound) {
  const std::string env = kSmall + ",reward=lost)";
  const Spec s = spec(env);
  for (const PlayedEpisode& e : play(env, "marginal_goodput", 3)) {
    ASSERT_EQ(e.end, End::terminated);
    const double lost_s = e.metrics[s.metric("avg_jct_s")] - e.metrics[s.metric("bound_jct_s")];
    EXPECT_NEAR(e.reward, -e.metrics[s.metric("jobs_done")] * lost_s / 3600, 1e-8);
  }
}

TEST_F(AllReduce, RewardsAreMinusTheSumOfCompletionTimes) {
  const Spec s = spec(kSmall + ")");
  for (const char* policy : {"equal_share", "marginal_goodput", "knee_srsf", "random"})
    for (const PlayedEpisode& e : play(kSmall + ")", policy, 2)) {
      if (e.end != End::terminated) continue;
      const double sum_s = e.metrics[s.metric("avg_jct_s")] * e.metrics[s.metric("jobs_done")];
      EXPECT_NEAR(-e.reward * 3600 / sum_s, 1, 1e-9) << policy;
    }
}

TEST_F(AllReduce, GrantsAndFreeGpusAreTheCluster) {
  std::size_t rows = 0;
  (void)play(kSmall + ",round_s=1800)", "random", 1, [&](ConstRow row, const Spec&) {
    const Batch& b = row.batch();
    float sum = row[b.field<float>("cluster.free")][0];
    for (const float w : row[b.field<float>("job.workers")]) sum += w;
    ASSERT_EQ(sum, 16);
    for (const float f : row[b.field<float>("node.free")]) ASSERT_GE(f, 0);
    ++rows;
  });
  EXPECT_GT(rows, 100U);
}

/// A job on four of its own GPUs, started once: the change, then its work over 4^p.
TEST_F(AllReduce, AChangeCostsTime) {
  const std::string env =
      "dl_cluster(model=allreduce,power=0.5,nodes=1,jobs=1,change_s=45,round_s=1e6,max_slots=100)";
  double work = 0;
  const auto played = play(env, "equal_share", 1, [&](ConstRow row, const Spec&) {
    if (work == 0) work = row[row.batch().field<float>("job.remaining_work")][0];
  });
  EXPECT_EQ(joined(played[0].moves, 2), "0g4");
  const double jct_s = played[0].metrics[spec(env).metric("avg_jct_s")];
  EXPECT_NEAR(jct_s / (45 + work / 2), 1, 1e-6);
  EXPECT_NEAR(played[0].metrics[spec(env).metric("bound_jct_s")] / jct_s, 1, 1e-9);
}

/// All jobs there from the start, speed k^p, no cost of changes: the total completion time is (1 /
/// N^p) sum over k of x_k (k (1 + w_k)^p - (k - 1) w_k^p), with x_1 the largest work and w_k = 1 /
/// ((k / (k - 1))^(1 / (1 - p)) - 1), w_1 = 0 (Berg, Vesilo, Harchol-Balter 2020, theorem 4). With p
/// = 1/2 and 144 GPUs all shares of up to four jobs are whole numbers.
TEST_F(AllReduce, HesrptReachesItsClosedForm) {
  const std::string env =
      "dl_cluster(model=allreduce,power=0.5,ladder=all,change_s=0,nodes=1,node_gpus=144,"
      "max_gpus=144,jobs=4,span_s=0,round_s=1e6,max_slots=1000)";
  std::vector<std::vector<double>> work;
  const auto played = play(env, "hesrpt(p=0.5)", 5, [&](ConstRow row, const Spec&) {
    const Batch& b = row.batch();
    if (row.scalar(b.field<double>("cluster.time_s")) > 0) return;
    const auto left = row[b.field<float>("job.remaining_work")];
    const auto workers = row[b.field<float>("job.workers")];
    if (std::ranges::all_of(workers, [](float w) { return w == 0; }))
      work.emplace_back(left.begin(), left.end());
  });
  ASSERT_EQ(work.size(), played.size());
  for (std::size_t e = 0; e < played.size(); ++e) {
    std::ranges::sort(work[e], std::greater{});
    double total_s = 0;
    for (std::size_t i = 0; i < work[e].size(); ++i) {
      const double k = static_cast<double>(i) + 1;
      const double w = i == 0 ? 0 : 1 / (std::pow(k / (k - 1), 2) - 1);
      total_s += work[e][i] * (k * std::sqrt(1 + w) - (k - 1) * std::sqrt(w)) / 12;
    }
    const double found_s = 4 * played[e].metrics[spec(env).metric("avg_jct_s")];
    EXPECT_NEAR(found_s / total_s, 1, 1e-6);
    // No other rule is as good.
    for (const char* other : {"equal_share", "srsf", "hesrpt(p=0.3)", "hesrpt(p=0.7)"})
      EXPECT_GT(play(env, other, e + 1)[e].metrics[0], found_s / 4) << other;
  }
}

TEST_F(AllReduce, FittedSpeedsAreNearTheTruth) {
  const auto speeds = [&](const char* which) {
    std::vector<float> all;
    (void)play("dl_cluster(model=allreduce,jobs=1,speeds=" + std::string(which) + ")", "drf", 1,
               [&](ConstRow row, const Spec&) {
                 const auto told = row[row.batch().field<float>("type.speed")];
                 if (all.empty()) all.assign(told.begin(), told.end());
               });
    return all;
  };
  const auto oracle = speeds("oracle"), fitted = speeds("fitted");
  ASSERT_EQ(oracle.size(), fitted.size());
  EXPECT_NE(oracle, fitted);
  double worst = 0, sum = 0;
  for (std::size_t i = 0; i < oracle.size(); ++i) {
    const double error = std::abs(static_cast<double>(fitted[i] / oracle[i]) - 1);
    worst = std::max(worst, error);
    sum += error;
  }
  EXPECT_LT(sum / static_cast<double>(oracle.size()), 0.2);
}

}  // namespace allreduce_test
}  // namespace park::test
