// Baselines on the two-server example: the gradient stays what it is, its variance falls.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/algorithm/policy_gradient_algorithm.h"
#include "agents/baseline/baselines.h"
#include "park/core/episodes.h"
#include "park/envs/envs.h"
#include "tests/agents/baseline/two_servers.h"

namespace park::agents {
namespace theory_test {

constexpr std::uint32_t kSequences = 8;  // that there are in all
constexpr std::size_t kWeights = 3;
using Gradient = std::array<double, kWeights>;

/// Depends on the action, which no baseline may: it takes the second server for better.
class Wrong final : public Baseline {
 public:
  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    const auto server = trajectories.actions().field<std::int32_t>("server");
    PerStep all;
    for (const Trajectory& t : trajectories.all()) {
      auto& of_one = all.emplace_back();
      for (std::size_t k = 0; k < t.steps.size(); ++k)
        of_one.push_back(0.05 * returns[all.size() - 1][k] *
                         trajectories.actions().row(t.steps[k].row).scalar(server));
    }
    return all;
  }
};

/// Several baselines, one of them at a time, on the same few sequences.
class Several final : public Baseline {
 public:
  PerStep values(const Trajectories& t, const PerStep& returns) override {
    return now->values(t, returns);
  }
  void fit(const Trajectories& t, const PerStep& targets) override { now->fit(t, targets); }
  [[nodiscard]] std::uint32_t fixed_sequences() const noexcept override { return kSequences; }
  Baseline* now = nullptr;
};

/// Independent estimates of the gradient of the same policy by every baseline, on the same
/// rollouts.
class TwoServerGradients : public ::testing::Test {
 protected:
  TwoServerGradients() {
    envs::register_all(registry_);
    const Spec spec = registry_.spec(test::kTwoServers);
    net_ = std::make_shared<test::TwoServers>(spec);
    const Rng run = phase_rng(5, Phase::train);
    auto several = std::make_unique<Several>();
    several_ = several.get();
    Task task{.registry = &registry_, .env = test::kTwoServers, .run = run};
    task.network = net_;
    task.baseline = std::move(several);
    TrainingConfig config;
    config.sequences = 4, config.rollouts = 4, config.slots = 16;
    training_ = std::make_unique<Training>(std::move(task), config);

    const auto net = [&spec](const Rng&) { return std::make_shared<test::TwoServers>(spec); };
    const auto make = [&](const char* text) {
      return make_baseline(text, {.spec = spec, .value_network = net, .run = run});
    };
    baselines_["none"] = make("none");
    baselines_["value"] = make("value(learning_rate=0.03,epochs=2)");
    baselines_["sequence_mean"] = make("sequence_mean");
    baselines_["published sequence_mean"] = make("sequence_mean(leave_one_out=false)");
    baselines_["multi_value"] = make("multi_value(functions=8,learning_rate=0.03,epochs=2)");
    baselines_["meta"] = make("meta(learning_rate=0.01)");
    baselines_["wrong"] = std::make_unique<Wrong>();
  }

  /// Of the mean return of an episode.
  Gradient estimate(Baseline& baseline) {
    several_->now = &baseline;
    runs::IterationReport report;
    const std::vector<Sample> samples =
        training_->estimate({.lambda = 1, .bootstrap = false}, report);
    net_->zero_grad();
    add_gradient(*training_, samples, report);
    Gradient g;
    for (std::size_t w = 0; w < kWeights; ++w)  // advantages were scaled by their root mean square
      g[w] = -net_->policy_.grad().data_ptr<float>()[w] * report.advantage_sd / 16;
    return g;
  }

  std::map<std::string, std::vector<Gradient>> estimates(std::int64_t warm_up, std::int64_t count) {
    std::map<std::string, std::vector<Gradient>> all;
    several_->now = baselines_["none"].get();
    for (std::int64_t i = 0; i < warm_up + count; ++i) {
      runs::IterationReport report;
      training_->collect(i, 0, report);
      for (const auto& [name, baseline] : baselines_) {
        const Gradient g = estimate(*baseline);
        if (i >= warm_up) all[name].push_back(g);
      }
    }
    return all;
  }

  Registry registry_;
  std::shared_ptr<test::TwoServers> net_;
  Several* several_ = nullptr;
  std::unique_ptr<Training> training_;
  std::map<std::string, std::unique_ptr<Baseline>> baselines_;
};

Gradient mean(const std::vector<Gradient>& all) {
  Gradient m{};
  for (const Gradient& g : all)
    for (std::size_t w = 0; w < kWeights; ++w) m[w] += g[w] / static_cast<double>(all.size());
  return m;
}

using Matrix = std::array<std::array<double, kWeights>, kWeights>;

Matrix covariance(const std::vector<Gradient>& all) {
  const Gradient m = mean(all);
  Matrix c{};
  for (const Gradient& g : all)
    for (std::size_t i = 0; i < kWeights; ++i)
      for (std::size_t j = 0; j < kWeights; ++j)
        c[i][j] += (g[i] - m[i]) * (g[j] - m[j]) / static_cast<double>(all.size() - 1);
  return c;
}

/// x' C^-1 x, by elimination.
double squared_distance(Gradient x, Matrix c) {
  double sum = 0;
  for (std::size_t i = 0; i < kWeights; ++i) {
    sum += x[i] * x[i] / c[i][i];
    for (std::size_t j = i + 1; j < kWeights; ++j) {
      const double factor = c[j][i] / c[i][i];
      x[j] -= factor * x[i];
      for (std::size_t k = i; k < kWeights; ++k) c[j][k] -= factor * c[i][k];
    }
  }
  return sum;
}

double trace(const Matrix& c) { return c[0][0] + c[1][1] + c[2][2]; }

/// Hotelling's statistic of the differences between the estimates of two baselines on the same
/// rollouts, which have mean 0 where both are unbiased, also where they learned from earlier ones.
double hotelling(const std::vector<Gradient>& a, const std::vector<Gradient>& b) {
  std::vector<Gradient> differences = a;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t w = 0; w < kWeights; ++w) differences[i][w] -= b[i][w];
  return static_cast<double>(a.size()) *
         squared_distance(mean(differences), covariance(differences));
}

using TwoServerGradientsLong = TwoServerGradients;
TEST_F(TwoServerGradientsLong, AreUnbiasedWithLessVariance) {
  constexpr double kLimit = 22;  // exceeded once in 10 000 unbiased cases (3 weights)
  const auto all = estimates(150, 800);
  const std::vector<Gradient>&none = all.at("none"), &sharp = all.at("sequence_mean");
  std::map<std::string, double> variance;
  for (const auto& [name, g] : all) {
    variance[name] = trace(covariance(g)) / trace(covariance(none));
    const Gradient m = mean(g);
    std::printf("%-24s mean %9.2f %9.2f %9.2f  variance %.4f", name.c_str(), m[0], m[1], m[2],
                variance[name]);
    if (name != "none") std::printf("  Hotelling %.1f", hotelling(g, none));
    if (name != "sequence_mean") std::printf(" and %.1f", hotelling(g, sharp));
    std::printf("\n");
  }
  // Once without a baseline as the reference, and once with the one of least variance, which sees
  // much smaller differences.
  for (const char* name : {"value", "sequence_mean", "multi_value", "meta"}) {
    EXPECT_LT(hotelling(all.at(name), none), kLimit) << name;
    if (name != std::string("sequence_mean")) {
      EXPECT_LT(hotelling(all.at(name), sharp), kLimit) << name;
    }
  }
  EXPECT_GT(hotelling(all.at("wrong"), none), 2 * kLimit);
  EXPECT_GT(hotelling(all.at("published sequence_mean"), sharp), kLimit);  // shrunk by a quarter
  EXPECT_LT(variance["value"], 0.5);
  for (const char* name : {"sequence_mean", "multi_value", "meta"})
    EXPECT_LT(variance[name], 0.25 * variance["value"]) << name;
}

/// With the rollout itself in the mean of n, every advantage is (n - 1) / n of what it is without.
TEST_F(TwoServerGradients, ThePublishedSequenceMeanShrinksThem) {
  const auto all = estimates(0, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t w = 0; w < kWeights; ++w) {
      const double without = all.at("sequence_mean")[i][w];
      EXPECT_NEAR(all.at("published sequence_mean")[i][w], 0.75 * without, 2e-4 * std::abs(without))
          << "estimate " << i << ", weight " << w;
    }
}

}  // namespace theory_test
}  // namespace park::agents
