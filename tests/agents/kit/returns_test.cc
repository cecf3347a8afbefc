// Returns and generalised advantages on hand-made trajectories, and trajectories that were cut off.
#include "agents/kit/returns.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/training_episodes.h"
#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/envs/envs.h"

namespace park::agents {
namespace returns_test {

Trajectory trajectory(const std::vector<double>& elapsed_s, double rate) {
  Trajectory t;
  double now_s = 0;
  for (const double e : elapsed_s) {
    t.steps.push_back({.time_s = now_s, .reward = rate * e, .elapsed_s = e});
    now_s += e;
  }
  return t;
}

TEST(Returns, AreSumsOfWhatFollows) {
  const Trajectory t = trajectory({2, 0, 3}, -1);
  EXPECT_EQ(returns_of(t), (std::vector<double>{-5, -3, -3}));
  EXPECT_EQ(returns_of(t, {}, -10), (std::vector<double>{-15, -13, -13}));
  EXPECT_EQ(returns_of(t, {.reward_rate = -0.5}), (std::vector<double>{-2.5, -1.5, -1.5}));
}

/// A constant rate is discounted exactly: how often it was looked at makes no difference.
TEST(Returns, ContinuousDiscountingDoesNotDependOnTheDecisions) {
  const ReturnOptions options{.discount_rate = 0.2};
  const double whole = returns_of(trajectory({6}, -2), options, 5)[0];
  EXPECT_NEAR(whole, -2 * (1 - std::exp(-0.2 * 6)) / 0.2 + 5 * std::exp(-0.2 * 6), 1e-12);
  EXPECT_NEAR(returns_of(trajectory({1, 0, 0.5, 4.5}, -2), options, 5)[0], whole, 1e-12);
}

const std::vector<double> kValues = {1, -2, 0.5, 4};  // the last: of the end

TEST(Advantages, WithoutLambdaAreTemporalDifferences) {
  const Trajectory t = trajectory({2, 0, 3}, -1);
  EXPECT_EQ(advantages_of(t, kValues, 0), (std::vector<double>{-2 - 2 - 1, 0.5 + 2, -3 + 4 - 0.5}));
  const ReturnOptions options{.discount_rate = 0.1, .reward_rate = 0.25};
  const std::vector<double> discounted = advantages_of(t, kValues, 0, options);
  for (std::size_t k = 0; k < 3; ++k) {
    const double e = t.steps[k].elapsed_s;
    const double rate = e > 0 ? -1 - 0.25 : 0;
    const double reward = e > 0 ? rate * (1 - std::exp(-0.1 * e)) / 0.1 : 0;
    EXPECT_NEAR(discounted[k], reward + std::exp(-0.1 * e) * kValues[k + 1] - kValues[k], 1e-12);
  }
}

TEST(Advantages, WithAllOfItAreReturnsMinusValues) {
  const Trajectory t = trajectory({2, 0, 3, 0.5}, -1);
  const std::vector<double> values = {1, -2, 0.5, 4, -6};
  for (const ReturnOptions& options :
       {ReturnOptions{}, ReturnOptions{.discount_rate = 0.3, .reward_rate = -0.7}}) {
    const std::vector<double> advantages = advantages_of(t, values, 1, options);
    const std::vector<double> returns = returns_of(t, options, values.back());
    for (std::size_t k = 0; k < advantages.size(); ++k)
      EXPECT_NEAR(advantages[k], returns[k] - values[k], 1e-12);
  }
}

/// Equation 16 of the paper, term by term.
TEST(Advantages, AreWeightedSumsOfTemporalDifferences) {
  const Trajectory t = trajectory({2, 0.5, 3}, -1);
  const ReturnOptions options{.discount_rate = 0.2};
  const std::vector<double> delta = advantages_of(t, kValues, 0, options),
                            advantages = advantages_of(t, kValues, 0.7, options);
  const auto after = [&](std::size_t k) { return 0.7 * std::exp(-0.2 * t.steps[k].elapsed_s); };
  EXPECT_NEAR(advantages[0], delta[0] + after(0) * (delta[1] + after(1) * delta[2]), 1e-12);
  EXPECT_NEAR(advantages[1], delta[1] + after(1) * delta[2], 1e-12);
  EXPECT_NEAR(advantages[2], delta[2], 1e-12);
}

/// Knows nothing but what ends are worth.
class Ends final : public Baseline {
 public:
  explicit Ends(bool critic) : critic_(critic) {}
  std::vector<double> ends(const Trajectories& t) override {
    return std::vector<double>(t.all().size(), kWorth);
  }
  PerStep values(const Trajectories&, const PerStep& returns) override {
    seen = returns;
    PerStep all;
    for (const auto& of_one : returns) all.emplace_back(of_one.size(), 0.0);
    return all;
  }
  [[nodiscard]] bool critic() const noexcept override { return critic_; }
  static constexpr double kWorth = 1000;
  PerStep seen;

 private:
  bool critic_;
};

/// Scores nothing: every server is as good.
class Indifferent final : public Network {
 public:
  Indifferent() { register_parameter("unused", at::zeros({1})); }
  std::unique_ptr<Encoding> encode(const Batch&) override { return std::make_unique<Encoding>(); }
  at::Tensor scores(Encoding&, std::size_t, const Candidates& c, const Batch&) override {
    return at::zeros({static_cast<std::int64_t>(c.size())});
  }
};

/// Episodes of which a horizon cuts off about half: 20 arrivals, 55 s apart.
class Horizon : public ::testing::Test {
 protected:
  static constexpr const char* kEnv = "load_balance(servers=2,rates=[3,3],jobs=20,horizon_s=1500)";
  Horizon() { envs::register_all(registry_); }

  /// What is trained, and its baseline.
  std::pair<Task, const Ends*> task(bool critic) {
    auto ends = std::make_unique<Ends>(critic);
    const Ends* told = ends.get();
    Task task{.registry = &registry_, .env = kEnv, .run = phase_rng(1, Phase::train)};
    task.network = std::make_shared<Indifferent>();
    task.baseline = std::move(ends);
    return {std::move(task), told};
  }

  /// A training and its baseline.
  std::pair<std::unique_ptr<Training>, const Ends*> training(bool critic,
                                                             const TrainingConfig& config = {}) {
    auto [task, told] = this->task(critic);
    return {std::make_unique<Training>(std::move(task), config), told};
  }

  /// The returns that the baseline is told, by trajectory, and whether it was cut off.
  std::pair<PerStep, std::vector<End>> estimate(bool critic, bool bootstrap) {
    const auto [training, told] = this->training(critic);
    runs::IterationReport report;
    training->collect(0, 0, report);
    const std::vector<Sample> samples =
        training->estimate({.lambda = 0.9, .bootstrap = bootstrap}, report);
    EXPECT_EQ(samples.size(), report.decisions);
    std::vector<End> how;
    for (const Trajectory& t : training->trajectories().all()) how.push_back(t.end);
    return {told->seen, how};
  }

  Registry registry_;
};

TEST_F(Horizon, ACriticValuesTheEndOfWhatWasCutOff) {
  const auto [plain, how] = estimate(true, false);
  const auto [bootstrapped, same] = estimate(true, true);
  std::size_t cut = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const bool truncated = how[i] == End::truncated;
    cut += truncated;
    for (std::size_t k = 0; k < plain[i].size(); ++k)
      EXPECT_NEAR(bootstrapped[i][k] - plain[i][k], truncated ? Ends::kWorth : 0, 1e-9);
  }
  EXPECT_GT(cut, 0u);
  EXPECT_LT(cut, plain.size());
  EXPECT_EQ(estimate(false, true).first, plain);  // no critic
}

/// The first iteration of an algorithm plays what a training by itself plays.
TEST_F(Horizon, AlgorithmsValueTheEndOfWhatWasCutOffByTheirCritic) {
  const auto [training, unused] = this->training(true);
  runs::IterationReport report;
  training->collect(0, 0, report);
  PerStep plain, bootstrapped;
  for (const Trajectory& t : training->trajectories().all()) {
    plain.push_back(returns_of(t));
    bootstrapped.push_back(returns_of(t, {}, t.end == End::truncated ? Ends::kWorth : 0));
  }
  ASSERT_NE(plain, bootstrapped);
  const auto seen = [&](const char* text) {
    auto [task, told] = this->task(true);
    const std::unique_ptr<Algorithm> algorithm = make_algorithm(text, std::move(task));
    static_cast<void>(algorithm->iterate(0, 0));
    return told->seen;
  };
  EXPECT_EQ(seen("reinforce"), plain);
  EXPECT_EQ(seen("a2c"), bootstrapped);
  EXPECT_EQ(seen("ppo"), bootstrapped);
}

/// From 10 s the mean grows to 1000 s at half of the training, then it is that of the environment.
TEST_F(Horizon, TheCurriculumDecidesHowFarEpisodesGo) {
  TrainingConfig config;
  config.first_horizon_s = 10, config.last_horizon_s = 1000, config.horizon_until = 0.5;
  const auto [training, told] = this->training(false, config);
  for (const auto& [part, mean_s] : {std::pair{0.0, 10.0}, {0.25, 100.0}, {0.5, 1500.0}}) {
    runs::IterationReport report;
    training->collect(3, part, report);
    const FixedEpisodes expected =
        TrainingEpisodes{
            .sequences = config.sequences, .rollouts = config.rollouts, .mean_horizon_s = mean_s}
            .of(phase_rng(1, Phase::train), 3);
    for (const Trajectory& t : training->trajectories().all()) {
      EXPECT_NEAR(t.episode.horizon_s, expected.at(t.episode.id)->horizon_s, 1e-9 * mean_s);
      EXPECT_LE(t.end_s(), t.episode.horizon_s * (1 + 1e-9));
    }
  }
}

/// The rate is that of the first iteration, then of both, of which the first counts 0.99.
TEST_F(Horizon, AverageRewardTakesOffTheMeanRate) {
  TrainingConfig config;
  config.average_reward = true;
  const auto [training, told] = this->training(false, config);
  double reward = 0, elapsed_s = 0;
  for (const std::int64_t iteration : {0, 1}) {
    runs::IterationReport report;
    training->collect(iteration, 0, report);
    static_cast<void>(training->estimate({}, report));
    std::vector<Trajectory> all = training->trajectories().all();
    reward *= 0.99, elapsed_s *= 0.99;
    for (const Trajectory& t : all)
      for (const Step& step : t.steps) reward += step.reward, elapsed_s += step.elapsed_s;
    EXPECT_LT(reward / elapsed_s, -0.1);
    ASSERT_EQ(told->seen.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (Step& step : all[i].steps) step.reward -= reward / elapsed_s * step.elapsed_s;
      const std::vector<double> expected = returns_of(all[i]);
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(told->seen[i][k], expected[k], 1e-9 * std::max(1.0, std::abs(expected[k])));
    }
  }
}

TEST_F(Horizon, TrajectoriesEndWhereItIsWithWhatWasObservedThere) {
  const Spec spec = registry_.spec(kEnv);
  const TrainingEpisodes episodes{.sequences = 6, .rollouts = 4, .mean_horizon_s = 1500};
  const FixedEpisodes source = episodes.of(Rng(4), 0);
  Trajectories trajectories(spec);
  NetworkPolicy policy(spec, std::make_shared<Indifferent>(), true);
  trajectories.add(*registry_.stream(kEnv, source, {.slots = 5}), policy, Rng(3));
  const auto jobs = Batch(spec.observation).field<float>("server.jobs");
  std::vector<std::vector<float>> final_jobs(24);
  NetworkPolicy again(spec, std::make_shared<Indifferent>(), true);
  play(*registry_.stream(kEnv, source, {.slots = 3}), again, Rng(3),
       [&](const Decisions& d, const Batch&) {
         for (std::size_t i = 0; i < d.ended.size(); ++i) {
           const auto row = d.final_observation.row(i)[jobs];
           final_jobs[d.ended[i].episode.id].assign(row.begin(), row.end());
         }
       });
  std::size_t cut = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    const Trajectory& t = trajectories.all()[i];
    EXPECT_EQ(t.episode.horizon_s, trajectories.all()[i / 4 * 4].episode.horizon_s);
    if (t.end == End::truncated) {
      ++cut;
      EXPECT_NEAR(t.end_s(), t.episode.horizon_s, 1e-9);
    }
    Batch last(spec.observation);
    const std::vector<std::uint32_t> rows = {t.final_row};
    trajectories.observations().gather(rows, last);
    const auto row = std::as_const(last).row(0)[jobs];
    EXPECT_EQ(std::vector<float>(row.begin(), row.end()), final_jobs[i]);
  }
  EXPECT_GT(cut, 0u);
  EXPECT_LT(cut, 24u);
}

}  // namespace returns_test
}  // namespace park::agents
