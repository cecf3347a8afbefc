// What is learned of jobs that come again.
#include "agents/net/cluster/job_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "agents/kit/network_policy.h"
#include "agents/net/networks.h"
#include "park/core/declarations.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::agents {
namespace job_memory_test {

/// Observations of a cluster with many jobs of few kinds: the bundled workload has 66.
class JobMemories : public ::testing::Test {
 protected:
  JobMemories() {
    const RandomEpisodes episodes(Rng(5), {.count = 3});
    const auto stream = registry_.stream(kEnv, episodes, {.slots = 3});
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
  static Registry filled() {
    Registry registry;
    envs::register_all(registry);
    return registry;
  }
  Registry registry_ = filled();
  Spec spec_ = registry_.spec(kEnv);
  Batch observation_{spec_.observation};
  Field<float> work_s_, mean_s_;
};

TEST_F(JobMemories, AJobThatComesAgainIsFound) {
  const JobMemory::Keys p = JobMemory(spec_, 4, true).find(observation_);
  const std::vector<float> work = work_s();
  ASSERT_EQ(p.job.size(), work.size());
  const std::set<float> kinds(work.begin(), work.end());
  ASSERT_LT(kinds.size(), work.size() / 3);
  const std::set<std::uint64_t> keys(p.job.begin(), p.job.end());
  EXPECT_EQ(keys.size(), kinds.size());
  for (std::size_t j = 0; j < work.size(); ++j)
    for (std::size_t k = 0; k < j; ++k) {
      if (work[j] != work[k]) continue;
      EXPECT_EQ(p.job[j], p.job[k]);
    }
}

TEST_F(JobMemories, WithoutDurationsTheyChangeNothing) {
  for (const bool durations : {false, true}) {
    const JobMemory memory(spec_, 4, durations);
    const JobMemory::Keys before = memory.find(observation_);
    Batch slow(spec_.observation);
    slow.append(observation_);
    for (std::size_t r = 0; r < slow.rows(); ++r)
      for (float& v : slow.row(r)[mean_s_]) v *= 2;
    EXPECT_EQ(memory.find(slow).stage == before.stage, !durations);
    EXPECT_EQ(memory.find(slow).job == before.job, !durations);
  }
}

/// The first of these rows with all durations times a factor of their own.
Batch described_as(const Spec& spec, const Batch& rows, Field<float> mean_s, double low,
                   double high) {
  Batch all(spec.observation);
  all.append(rows);
  Rng rng(7);
  for (std::size_t r = 0; r < all.rows(); ++r)
    for (float& v : all.row(r)[mean_s]) v *= static_cast<float>(rng.uniform(low, high));
  return all;
}

TEST_F(JobMemories, AJobThatIsDescribedALittleDifferentlyIsFound) {
  const JobMemory memory(spec_, 4, true);
  const JobMemory::Keys truth = memory.find(observation_);
  const auto described = [&](double epsilon) {
    return memory.find(described_as(spec_, observation_, mean_s_, 1 - epsilon, 1 + epsilon));
  };
  const JobMemory::Keys close = described(1e-4), far = described(0.2);
  EXPECT_EQ(close.job, truth.job);
  EXPECT_EQ(close.stage, truth.stage);
  // Some jobs have others with the same tasks and durations that are as near.
  std::size_t found = 0;
  for (std::size_t j = 0; j < truth.job.size(); ++j) found += far.job[j] == truth.job[j] ? 1 : 0;
  EXPECT_GE(found, truth.job.size() * 9 / 10);
  const JobMemory::Keys other = memory.find(described_as(spec_, observation_, mean_s_, 1.6, 1.7));
  for (std::size_t j = 0; j < truth.job.size(); ++j) EXPECT_NE(other.job[j], truth.job[j]);
}

/// A network that asks what was measured scores false rows as it scores the truth.
TEST_F(JobMemories, MeasuredDurationsHideWhatIsDeclared) {
  const auto declarations = registry_.env_factory(kEnv)()->declarations();
  const Moment now{.row = std::as_const(observation_).row(0)};
  std::vector<std::uint64_t> jobs;
  declarations->present(now, jobs);
  const Misreport lie{.job = jobs.front(),
                      .factors = std::vector(declarations->quantities(now, jobs.front()), 0.9)};
  Batch truth(spec_.observation), lies(spec_.observation);
  truth.append(observation_, 0);
  declarations->show(now, {lie}, lies.append());
  for (const bool measured : {false, true}) {
    NetworkPolicy policy(
        spec_,
        make_network(measured ? "cluster_features(measured=true)" : "cluster_features", spec_,
                     Role::policy, Rng(1)),
        true);
    const auto scores = [&](const Batch& rows) {
      Batch actions(spec_.action);
      actions.resize(rows.rows());
      Candidates stages;
      std::vector<float> of;
      EXPECT_TRUE(policy.scores(rows, 0, actions, stages, of));
      return of;
    };
    const std::vector<float> of_truth = scores(truth), of_lies = scores(lies);
    ASSERT_EQ(of_truth.size(), of_lies.size());
    double most = 0;
    for (std::size_t i = 0; i < of_truth.size(); ++i)
      most = std::max(most, static_cast<double>(std::abs(of_truth[i] - of_lies[i])));
    EXPECT_EQ(most < 1e-5, measured) << most;
  }
}

/// Without a text nobody knows which jobs were measured. Keys are then those of exact durations,
/// and they are the same for jobs that are described as they are: checkpoints play as ever.
TEST_F(JobMemories, KeysOfTrueJobsAreThoseOfExactDurations) {
  Spec nameless = spec_;
  nameless.text.clear();
  const JobMemory exact(nameless, 4, true), memory(spec_, 4, true);
  EXPECT_EQ(memory.find(observation_).job, exact.find(observation_).job);
  EXPECT_EQ(memory.find(observation_).stage, exact.find(observation_).stage);
  const Batch lies = described_as(spec_, observation_, mean_s_, 0.9999, 1.0001);
  EXPECT_NE(exact.find(lies).job, exact.find(observation_).job);
}

TEST_F(JobMemories, VectorsBeginAtZeroAndLearnWhereTheyAreUsed) {
  const JobMemory memory(spec_, 4, true);
  const JobMemory::Keys p = memory.find(observation_);
  const at::Tensor stages = memory.of_stages(p, {0, 0, 7}), jobs = memory.of_jobs(p, {0, 0, 7});
  for (const at::Tensor& of : {stages, jobs}) {
    EXPECT_EQ(of.sizes(), (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(of.abs().max().item<double>(), 0);
    of.sum().backward();
  }
  for (const auto& item : memory.named_parameters()) {
    const auto& key = item.key() == "stage" ? p.stage : p.job;
    const at::Tensor used = item.value().grad().select(1, 3);
    EXPECT_EQ(used.sum().item<double>(), 3);
    EXPECT_EQ(used.max().item<double>(), key[0] == key[7] ? 3 : 2);
    EXPECT_EQ((used != 0).sum().item<std::int64_t>(), key[0] == key[7] ? 1 : 2);
  }
}

/// With keys a job that training has not seen is a stranger, whoever has the place of its hash.
TEST_F(JobMemories, WithKeysStrangersHaveNoVectors) {
  JobMemory memory(spec_, 4, true, true);
  const JobMemory::Keys seen = memory.find(observation_);
  const JobMemory::Keys strange = memory.find(described_as(spec_, observation_, mean_s_, 100, 101));
  const auto fill = [&] {
    const at::NoGradGuard off;
    for (const auto& item : memory.named_parameters()) at::Tensor(item.value()).fill_(1);
  };
  std::vector<std::int64_t> stages, jobs;
  for (std::size_t s = 0; s < seen.stage.size(); ++s)
    stages.push_back(static_cast<std::int64_t>(s));
  for (std::size_t j = 0; j < seen.job.size(); ++j) jobs.push_back(static_cast<std::int64_t>(j));
  fill();
  EXPECT_EQ(memory.of_stages(seen, stages).sum().item<double>(), 0);  // nobody owns a place
  memory.claim(seen);
  memory.claim(seen);
  EXPECT_EQ(memory.of_stages(seen, stages).min().item<double>(), 1);
  EXPECT_EQ(memory.of_jobs(seen, jobs).min().item<double>(), 1);
  EXPECT_EQ(memory.of_stages(strange, stages).sum().item<double>(), 0);
  EXPECT_EQ(memory.of_jobs(strange, jobs).sum().item<double>(), 0);
  const std::set<std::uint64_t> kinds(seen.job.begin(), seen.job.end());
  for (const auto& item : memory.named_buffers()) {
    if (item.key() != "job_owner") continue;
    EXPECT_EQ((item.value() != 0).sum().item<std::int64_t>(),
              static_cast<std::int64_t>(kinds.size()));
  }
}

TEST_F(JobMemories, WithKeysOnlyOwnersLearn) {
  JobMemory memory(spec_, 4, true, true);
  const JobMemory::Keys seen = memory.find(observation_);
  memory.of_jobs(seen, {0, 0, 7}).sum().backward();
  memory.claim(seen);
  memory.of_jobs(seen, {0, 0, 7}).sum().backward();
  for (const auto& item : memory.named_parameters()) {
    if (item.key() != "job") continue;
    EXPECT_EQ(item.value().grad().select(1, 0).sum().item<double>(), 3);
  }
}

}  // namespace job_memory_test
}  // namespace park::agents
