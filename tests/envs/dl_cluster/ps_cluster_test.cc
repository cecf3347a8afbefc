// model=ps: slots, grants, rewards and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "park/envs/dl_cluster/dl_cluster.h"
#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/env_player.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace ps_cluster_test {

const std::string kSmall =
    "dl_cluster(nodes=4,jobs=12,max_epochs=2000,arrivals=poisson,per_slot=2,speed_noise=0.1,"
    "work_error=0.1";

class PsCluster : public ::testing::Test, protected ClusterPlayer {
 protected:
  PsCluster() : table_(kToyTable) {}
  [[nodiscard]] std::string toy(const std::string& more = "") const {
    return toy_env(table_.path(), more);
  }

  TemporaryFile table_;
};

TEST_F(PsCluster, RewardsAreMinusTheSumOfCompletionTimes) {
  for (const char* more : {")", ",semantics=compat,reward=jct)"})
    for (const char* policy : {"drf", "hull_greedy", "random"})
      for (const PlayedEpisode& e : play(kSmall + more, policy, 3)) {
        ASSERT_EQ(e.end, End::terminated) << policy;
        const Spec s = spec(kSmall + more);
        const double jobs = e.metrics[s.metric("jobs_done")];
        EXPECT_EQ(jobs, 12);
        const double sum_s = e.metrics[s.metric("avg_jct_s")] * jobs;
        EXPECT_NEAR(-e.reward * 3600 / sum_s, 1, 1e-9) << policy;
        EXPECT_NEAR(e.metrics[s.metric("avg_jct_slots")] * 1200 * jobs / sum_s, 1, 1e-12);
        EXPECT_NEAR(e.seconds, e.metrics[s.metric("makespan_s")], 1e-6);
      }
}

TEST_F(PsCluster, LostRewardsAreTheHoursBeyondTheBound) {
  for (const char* more : {",reward=lost)", ",semantics=compat,reward=lost)"})
    for (const PlayedEpisode& e : play(kSmall + more, "drf", 3)) {
      const Spec s = spec(kSmall + more);
      const double lost_s = e.metrics[s.metric("avg_jct_s")] - e.metrics[s.metric("bound_jct_s")];
      EXPECT_NEAR(e.reward, -12 * lost_s / 3600, 1e-8);
    }
}

/// A policy cannot look better by leaving its longest jobs undone.
TEST_F(PsCluster, JobsThatAreLeftCountToTheEnd) {
  const std::string env =
      "dl_cluster(nodes=4,jobs=12,max_epochs=20000,arrivals=poisson,per_slot=2,max_slots=30)";
  const Spec s = spec(env);
  for (const char* policy : {"drf", "hull_greedy"})
    for (const PlayedEpisode& e : play(env, policy, 3)) {
      ASSERT_EQ(e.end, End::truncated) << policy;
      ASSERT_LT(e.metrics[s.metric("jobs_done")], 12) << policy;
      EXPECT_NEAR(e.metrics[s.metric("avg_jct_s")] * 12, -e.reward * 3600, 1e-6) << policy;
    }
}

TEST_F(PsCluster, PaperRewardsAreTheSharesOfTheWork) {
  for (const PlayedEpisode& e : play(kSmall + ",semantics=compat)", "drf", 2))
    EXPECT_NEAR(e.reward, 12, 1e-9);
}

TEST_F(PsCluster, NoPolicyComesBelowTheBound) {
  const std::string env = "dl_cluster(nodes=30,jobs=12,max_epochs=2000)";
  for (const char* policy : {"drf", "optimus", "hull_greedy", "right_sized_srtf", "random"})
    for (const PlayedEpisode& e : play(env, policy, 2))
      EXPECT_GE(e.metrics[spec(env).metric("avg_jct_s")],
                e.metrics[spec(env).metric("bound_jct_s")] * (1 - 1e-12))
          << policy;
}

/// What is granted, by demand, and what is free add up to the cluster.
TEST_F(PsCluster, GrantsAndFreeSlotsAreTheCluster) {
  for (const char* more : {")", ",semantics=compat)"}) {
    std::size_t rows = 0;
    (void)play(kSmall + more, "random", 2, [&](ConstRow row, const Spec&) {
      const Batch& b = row.batch();
      const auto type = row[b.field<std::int32_t>("job.type")];
      const auto workers = row[b.field<float>("job.workers")];
      const auto servers = row[b.field<float>("job.servers")];
      const auto worker = row[b.field<float>("type.worker_demand")];
      const auto server = row[b.field<float>("type.server_demand")];
      const auto capacity = row[b.field<float>("cluster.capacity")];
      const auto free = row[b.field<float>("cluster.free")];
      for (const float f : row[b.field<float>("node.free")]) ASSERT_GE(f, 0);
      for (std::size_t r = 0; r < 2; ++r) {
        float sum = free[r];
        for (std::size_t j = 0; j < type.size(); ++j) {
          const std::size_t at = 2 * static_cast<std::size_t>(type[j]) + r;
          sum += workers[j] * worker[at] + servers[j] * server[at];
        }
        ASSERT_EQ(sum, capacity[r]);
      }
      ++rows;
    });
    EXPECT_GT(rows, 100U);
  }
}

/// Ten epochs of 100 samples with 19 samples per second.
TEST_F(PsCluster, AJobAloneTakesItsWorkOverItsSpeed) {
  std::string env = toy();
  env.replace(env.find("jobs=2"), 6, "jobs=1");
  EXPECT_NEAR(metric(env, "drf", "avg_jct_s"), 30 + 1000.0 / 19, 1e-9);
  EXPECT_NEAR(metric(env, "drf", "bound_jct_s"), 30 + 1000.0 / 19, 1e-9);
  EXPECT_EQ(metric(env, "drf", "changes_per_job"), 1);
  env.insert(env.size() - 1, ",semantics=compat");
  EXPECT_NEAR(metric(env, "drf", "avg_jct_s"), 1000.0 / 19, 1e-9);
}

/// The grant is the same in every slot, so only the first slot pays for a change.
TEST_F(PsCluster, ChangesArePaidOnce) {
  std::string env = toy(",change_s=40");
  env.replace(env.find("jobs=2"), 6, "jobs=1");
  env.replace(env.find("max_epochs=10000"), 16, "max_epochs=90000");
  const auto played = play(env, "drf");
  EXPECT_NEAR(played[0].metrics[spec(env).metric("avg_jct_s")], 40 + 9000.0 / 19, 1e-9);
  EXPECT_GT(played[0].decisions, 8U);
}

TEST_F(PsCluster, ASpeedIsAtLeastAHundredthWhereSemanticsAreCorrect) {
  const TemporaryFile falls(
      "type,falls,2,4,2,0,100,0.001\nspeed,falls,1,1,10\nspeed,falls,1,2,0\nspeed,falls,2,1,0\n"
      "speed,falls,2,2,0\n");
  std::string env = toy_env(falls.path(), ",max_slots=3000");
  env.replace(env.find("jobs=2"), 6, "jobs=1");
  EXPECT_NEAR(metric(env, "fcfs", "avg_jct_s"), 30 + 1000 / 0.1, 1e-6);
  env.insert(env.size() - 1, ",semantics=compat");
  const auto played = play(env, "fcfs");
  EXPECT_EQ(played[0].end, End::truncated);
  EXPECT_EQ(played[0].metrics[spec(env).metric("avg_jct_s")], 3000 * 100);
}

TEST_F(PsCluster, RowsShowTheFirstJobsByArrival) {
  std::size_t most = 0;
  (void)play("dl_cluster(nodes=3,jobs=12,max_epochs=2000,window=5)", "drf", 1,
             [&](ConstRow row, const Spec&) {
               const auto id = row[row.batch().field<std::int32_t>("job.id")];
               most = std::max(most, id.size());
               ASSERT_TRUE(std::ranges::is_sorted(id));
             });
  EXPECT_EQ(most, 5U);
}

TEST_F(PsCluster, WithoutSpeedsPoliciesThatNeedThemAreRefusedByName) {
  const Spec none = spec("dl_cluster(speeds=none)");
  EXPECT_EQ(none.observation.find("type.speed"), nullptr);
  for (const char* policy : {"optimus", "hull_greedy", "srtf", "srsf", "pollux", "hesrpt",
                             "right_sized_srtf", "knee_srsf", "marginal_goodput"})
    EXPECT_EQ(
        error_of([&] { (void)registry().policy(policy, none); }),
        "policy '" + std::string(policy) +
            "' needs the observation leaf 'type.speed', which is missing where speeds = none");
  for (const char* policy :
       {"drf", "equal_share", "tetris_bundles", "fcfs", "tiresias", "srtf(by=fraction)"})
    EXPECT_EQ(error_of([&] { (void)registry().policy(policy, none); }), "no error") << policy;
}

TEST_F(PsCluster, ConfigurationsThatContradictThemselvesAreRefused) {
  const auto refused = [&](const std::string& fields) {
    return error_of([&] { (void)registry().canonical_env("dl_cluster(" + fields + ")"); });
  };
  EXPECT_EQ(refused("power=0.5"), "power is for model = allreduce alone");
  EXPECT_EQ(refused("model=allreduce,semantics=compat"),
            "semantics = compat is for model = ps alone");
  EXPECT_EQ(refused("arrivals=pattern,pattern=[0,0]"),
            "pattern must have a number above 0 where arrivals = pattern");
  EXPECT_EQ(refused("max_workers=2"), "request_workers = 4 exceeds max_workers = 2");
  EXPECT_EQ(error_of([&] { (void)registry().spec("dl_cluster(node_cpus=3)"); }),
            "node_cpus and node_gpus: a node is too small for a worker and a server of type "
            "'conv_large'");
}

}  // namespace ps_cluster_test
}  // namespace park::test
