// The baseline of Decima, and REINFORCE on a small cluster.
#include <ATen/ops/allclose.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/baseline/baselines.h"
#include "agents/kit/returns.h"
#include "park/envs/envs.h"

namespace park::agents {
namespace learning_test {

Trajectory trajectory(std::uint64_t inputs, std::vector<double> elapsed_s, double rate) {
  Trajectory t;
  t.episode.inputs = inputs;
  double now_s = 0;
  for (const double e : elapsed_s) {
    t.steps.push_back({.time_s = now_s, .reward = rate * e, .elapsed_s = e});
    now_s += e;
  }
  return t;
}

/// Trajectories that were not played: a baseline looks at nothing but their steps.
class Given final : public Trajectories {
 public:
  Given(const Spec& spec, std::vector<Trajectory> all) : Trajectories(spec) { set(std::move(all)); }
};

class SequenceMeanTest : public ::testing::Test {
 protected:
  SequenceMeanTest() { envs::register_all(registry_); }
  std::vector<std::vector<double>> values(std::vector<Trajectory> all, bool leave_one_out) {
    std::vector<std::vector<double>> returns;
    for (const Trajectory& t : all) returns.push_back(returns_of(t));
    const Spec spec = registry_.spec("load_balance");
    const Given given(spec, std::move(all));
    return make_baseline(leave_one_out ? "sequence_mean" : "sequence_mean(leave_one_out=false)",
                         {.spec = spec, .value_network = {}, .run = Rng(0)})
        ->values(given, returns);
  }
  Registry registry_;
};

TEST_F(SequenceMeanTest, InterpolatesTheOthersAtTheSameTime) {
  // The other one earns -1 per second for 10 s: 7.5 s are left at 2.5 s, none after 10 s.
  const auto b = values({trajectory(1, {2.5, 10, 1}, -2), trajectory(1, {4, 6}, -1)}, true);
  ASSERT_EQ(b[0].size(), 3u);
  EXPECT_DOUBLE_EQ(b[0][0], -10);
  EXPECT_DOUBLE_EQ(b[0][1], -7.5);
  EXPECT_DOUBLE_EQ(b[0][2], 0);
  EXPECT_DOUBLE_EQ(b[1][0], -27);
  EXPECT_DOUBLE_EQ(b[1][1], -2 * 9.5);
}

TEST_F(SequenceMeanTest, AsPublishedItHoldsTheRolloutItself) {
  const auto b = values({trajectory(1, {2}, -2), trajectory(1, {4}, -1)}, false);
  EXPECT_DOUBLE_EQ(b[0][0], -4);
  EXPECT_DOUBLE_EQ(b[1][0], -4);
}

TEST_F(SequenceMeanTest, OtherInputsDoNotCount) {
  const auto b =
      values({trajectory(1, {2}, -2), trajectory(2, {4}, -100), trajectory(1, {2}, -3)}, true);
  EXPECT_DOUBLE_EQ(b[0][0], -6);
  EXPECT_DOUBLE_EQ(b[1][0], 0);
  EXPECT_DOUBLE_EQ(b[2][0], -4);
}

class Cluster : public ::testing::Test {
 protected:
  Cluster() { envs::register_all(registry_); }

  /// Mean rewards of the iterations; the parameters are left as they were trained.
  std::vector<double> train(std::int64_t iterations, const std::string& network = "",
                            const std::string& slots = "16") {
    const auto algorithm =
        make_algorithm(registry_,
                       {.env = kEnv,
                        .algorithm = "reinforce(sequences=4,rollouts=4,slots=" + slots + ")",
                        .network = network},
                       7);
    std::vector<double> rewards;
    for (std::int64_t i = 0; i < iterations; ++i)
      rewards.push_back(
          algorithm->iterate(i, static_cast<double>(i) / static_cast<double>(iterations))
              .mean_reward);
    parameters_.clear();
    for (const auto& [name, p] : algorithm->policy())
      parameters_.insert(parameters_.end(), p.data_ptr<float>(), p.data_ptr<float>() + p.numel());
    return rewards;
  }

  static constexpr const char* kEnv = "dag_scheduling(executors=6,jobs=5)";
  Registry registry_;
  std::vector<float> parameters_;
};

TEST_F(Cluster, TheSameSeedTrainsTheSameBits) {
  for (const char* network : {"cluster_features", "cluster_features(memory=4,embedding=4)"}) {
    SCOPED_TRACE(network);
    train(3, network);
    const std::vector<float> first = parameters_;
    train(3, network);
    EXPECT_EQ(parameters_, first);
    train(3, network, "5");  // the perceptron works row by row, whatever the batch is
    EXPECT_EQ(parameters_, first);
  }
}

/// Weighs the newest 1, the one before 1/2 and so on.
TEST_F(Cluster, ThePolicyIsTheAverageOfTheWeights) {
  const auto algorithm = make_algorithm(
      registry_,
      {.env = kEnv, .algorithm = "ppo(sequences=2,rollouts=2,average=0.5)", .baseline = "none"}, 3);
  at::Tensor sum = at::zeros_like(algorithm->policy()[0].second), now;
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(algorithm->iterate(i, 0.1 * i));
    for (const auto& [name, tensor] : algorithm->training())
      if (name == "weights." + algorithm->policy()[0].first) now = tensor.detach();
    sum = 0.5 * sum + now;
  }
  const at::Tensor average = algorithm->policy()[0].second;
  EXPECT_TRUE(at::allclose(average, sum / 1.75, 1e-5, 1e-7));
  EXPECT_FALSE(at::allclose(average, now, 1e-5, 1e-7));
}

/// Weights that are put into the policy before the first iteration are what it begins with.
TEST_F(Cluster, AnAveragedPolicyBeginsWithTheGivenWeights) {
  const auto algorithm =
      make_algorithm(registry_,
                     {.env = kEnv,
                      .algorithm = "ppo(sequences=2,rollouts=2,average=0.5,learning_rate=0,"
                                   "final_learning_rate=0)",
                      .baseline = "none"},
                     3);
  const at::Tensor given = at::rand_like(algorithm->policy()[0].second);
  at::Tensor(algorithm->policy()[0].second).copy_(given);
  static_cast<void>(algorithm->iterate(0, 0));
  EXPECT_TRUE(at::allclose(algorithm->policy()[0].second, given));
}

using ClusterLong = Cluster;
TEST_F(ClusterLong, TrainingRaisesTheReward) {
  const std::vector<double> rewards = train(200);
  const double before = std::accumulate(rewards.begin(), rewards.begin() + 10, 0.0);
  const double after = std::accumulate(rewards.end() - 10, rewards.end(), 0.0);
  EXPECT_GT(after, 0.9 * before) << before << " to " << after;
}

}  // namespace learning_test
}  // namespace park::agents
