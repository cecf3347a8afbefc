// What is learned of jobs that come again.
#include "agents/net/job_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::agents {
namespace {

/// Observations of a cluster with many jobs of few kinds: the bundled workload has 66.
class JobMemories : public ::testing::Test {
 protected:
  JobMemories() {
    envs::register_all(registry_);
    spec_ = registry_.spec(kEnv);
    const RandomEpisodes episodes(Rng(5), {.count = 3});
    const auto stream = registry_.stream(kEnv, episodes, {.slots = 3});
    observation_ = Batch(spec_.observation);
    observation_.append(stream->recv({}).observation);
    work_s_ = observation_.field<float>("job.work_s");
    mean_s_ = observation_.field<float>("stage.mean_duration_s");
  }
  /// Total work of all jobs of all rows.
  [[nodiscard]] std::vector<float> work_s() const {
    std::vector<float> all;
    for (std::size_t r = 0; r < observation_.rows(); ++r)
      all.insert(all.end(), observation_.row(r)[work_s_].begin(),
                 observation_.row(r)[work_s_].end());
    return all;
  }

  static constexpr const char* kEnv = "dag_scheduling(executors=6,jobs=100)";
  Registry registry_;
  Spec spec_;
  Batch observation_;
  Field<float> work_s_, mean_s_;
};

TEST_F(JobMemories, AJobThatComesAgainIsFound) {
  const JobMemory::Places p = JobMemory(spec_, 4, true).find(observation_);
  const std::vector<float> work = work_s();
  ASSERT_EQ(p.job.size(), work.size());
  const std::set<float> kinds(work.begin(), work.end());
  ASSERT_LT(kinds.size(), work.size() / 3);
  const std::set<std::int64_t> places(p.job.begin(), p.job.end());
  EXPECT_GT(places.size() + 10, kinds.size());  // few share a place
  EXPECT_LE(places.size(), kinds.size());
  for (std::size_t j = 0; j < work.size(); ++j)
    for (std::size_t k = 0; k < j; ++k) {
      if (work[j] == work[k]) EXPECT_EQ(p.job[j], p.job[k]);
    }
}

TEST_F(JobMemories, WithoutDurationsTheyChangeNothing) {
  for (const bool durations : {false, true}) {
    const JobMemory memory(spec_, 4, durations);
    const JobMemory::Places before = memory.find(observation_);
    Batch slow(spec_.observation);
    slow.append(observation_);
    for (std::size_t r = 0; r < slow.rows(); ++r)
      for (float& v : slow.row(r)[mean_s_]) v *= 2;
    EXPECT_EQ(memory.find(slow).stage == before.stage, !durations);
    EXPECT_EQ(memory.find(slow).job == before.job, !durations);
  }
}

TEST_F(JobMemories, VectorsBeginAtZeroAndLearnWhereTheyAreUsed) {
  const JobMemory memory(spec_, 4, true);
  const JobMemory::Places p = memory.find(observation_);
  const at::Tensor of = memory.of_stages(p, {0, 0, 7});
  EXPECT_EQ(of.sizes(), (std::vector<std::int64_t>{3, 8}));
  EXPECT_EQ(of.abs().max().item<double>(), 0);
  EXPECT_EQ(memory.of_jobs(p).size(0), static_cast<std::int64_t>(p.job.size()));
  of.sum().backward();
  for (const auto& item : memory.named_parameters()) {
    const auto place = [&](std::size_t stage) {
      return static_cast<std::size_t>(item.key() == "stage" ? p.stage[stage]
                                                            : p.job[p.job_of[stage]]);
    };
    const at::Tensor used = item.value().grad();
    std::vector<float> expected(static_cast<std::size_t>(used.size(0)));
    expected[place(0)] += 2;
    expected[place(7)] += 1;
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k)
        ASSERT_EQ(used.data_ptr<float>()[4 * i + k], expected[i]) << item.key() << ' ' << i;
  }
}

}  // namespace
}  // namespace park::agents
