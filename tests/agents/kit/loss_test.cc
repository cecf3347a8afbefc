// Every loss that is trained on, against finite differences, on heads of every kind.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "agents/algorithm/policy_gradient_algorithm.h"
#include "agents/algorithm/ppo_algorithm.h"
#include "agents/baseline/baselines.h"
#include "agents/baseline/value_model.h"
#include "agents/kit/training_episodes.h"
#include "park/envs/envs.h"
#include "tests/agents/baseline/two_servers.h"
#include "tests/agents/kit/value_table.h"
#include "tests/kit/toy_shop.h"

namespace park::agents {
namespace loss_test {

/// Compares the gradients that backward has left with central differences of the loss.
void expect_gradients(const torch::nn::Module& net, const std::function<at::Tensor()>& loss,
                      double tolerance = 3e-3) {
  constexpr float kStep = 1e-2f;
  const at::NoGradGuard off;
  bool moves = false;
  for (const auto& item : net.named_parameters()) {
    const at::Tensor gradient = item.value().grad().clone();
    float* p = item.value().data_ptr<float>();
    for (std::int64_t i = 0; i < item.value().numel(); ++i) {
      const float before = p[i];
      p[i] = before + kStep;
      const double more = loss().item<double>();
      p[i] = before - kStep;
      const double less = loss().item<double>();
      p[i] = before;
      const double slope = (more - less) / (2.0 * kStep);
      moves = moves || std::abs(slope) > 0.1;
      EXPECT_NEAR(gradient.view({-1}).data_ptr<float>()[i], slope,
                  tolerance * std::max(1.0, std::abs(slope)))
          << item.key() << ", component " << i;
    }
  }
  EXPECT_TRUE(moves);
}

/// The toy shop: an index head, an interval and a category that depend on it, a real number.
class Loss : public ::testing::Test {
 protected:
  Loss() {
    registry_.add_env<park::test::ToyShop>();
    net_ = std::make_shared<test::ValueTable>(registry_.spec(kEnv));
    config_.sequences = 2, config_.rollouts = 2, config_.slots = 4, config_.entropy = 0.3;
    collect(0);
    samples_.resize(24);
  }

  /// Plays the first iteration as if this part of the training were done.
  void collect(double part) {
    Task task{.registry = &registry_, .env = kEnv, .run = Rng(4)};
    task.network = net_;
    task.baseline =
        make_baseline("sequence_mean", {.spec = {}, .value_network = {}, .run = task.run});
    training_ = std::make_unique<Training>(std::move(task), config_);
    report_ = {};
    training_->collect(0, part, report_);
    samples_ = training_->estimate({}, report_);
  }

  static constexpr const char* kEnv = "toy_shop(customers=20,interval_s=0.3,mood=busy)";

  Registry registry_;
  TrainingConfig config_;
  std::shared_ptr<test::ValueTable> net_;
  std::unique_ptr<Training> training_;
  runs::IterationReport report_;
  std::vector<Sample> samples_;
};

TEST_F(Loss, DiscountingFollowsItsSchedule) {
  collect(0.5);
  const double plain = report_.advantage_sd;
  EXPECT_DOUBLE_EQ(report_.discount_rate, 0);
  config_.discount_rate = 0.4;
  collect(0.5);
  const double all_the_time = report_.advantage_sd;
  EXPECT_DOUBLE_EQ(report_.discount_rate, 0.4);
  config_.final_discount_rate = 0;
  collect(0.5);
  EXPECT_DOUBLE_EQ(report_.discount_rate, 0.2);
  EXPECT_NE(report_.advantage_sd, plain);
  EXPECT_NE(report_.advantage_sd, all_the_time);
  collect(1);
  EXPECT_DOUBLE_EQ(report_.advantage_sd, plain);
}

TEST_F(Loss, LearningRateAndEntropyFollowTheirSchedules) {
  config_.learning_rate = 0.01, config_.final_learning_rate = 0.002, config_.entropy_until = 0.8;
  collect(0.4);
  EXPECT_DOUBLE_EQ(report_.learning_rate, 0.0068);
  EXPECT_DOUBLE_EQ(report_.entropy_weight, 0.15);
  collect(0.9);
  EXPECT_DOUBLE_EQ(report_.learning_rate, 0.0028);
  EXPECT_EQ(report_.entropy_weight, 0);
}

/// Adam's first step moves a parameter by the learning rate; its averages tell the gradient.
TEST_F(Loss, AStepGoesByTheLearningRateAndTheClip) {
  config_.learning_rate = 0.01, config_.final_learning_rate = 0.002, config_.clip_norm = 0.05;
  collect(0.5);
  const at::Tensor before = net_->weights_.detach().clone();
  add_gradient(*training_, samples_, report_);
  training_->step(samples_.size(), report_);
  const double moved = (net_->weights_.detach() - before).abs().max().item<double>();
  EXPECT_NEAR(moved, 0.006, 1e-5);
  EXPECT_GT(report_.gradient_norm, 0.05);
  double squares = 0;
  for (const auto& [name, tensor] : training_->training())
    if (name.ends_with(".mean")) squares += tensor.square().sum().item<double>();
  EXPECT_NEAR(std::sqrt(squares), 0.1 * 0.05, 1e-6);
}

TEST_F(Loss, TheNormOfTheGradientIsTheMeanOverTheSteps) {
  config_.learning_rate = config_.final_learning_rate = 0;
  collect(0);
  const auto step = [&](std::span<const Sample> some) {
    add_gradient(*training_, some, report_);
    double squares = 0;
    for (const at::Tensor& p : net_->parameters())
      if (p.grad().defined()) squares += p.grad().square().sum().item<double>();
    training_->step(some.size(), report_);
    return std::sqrt(squares) / static_cast<double>(some.size());
  };
  const std::span<const Sample> all(samples_);
  const double one = step(all.first(8)), other = step(all.subspan(8));
  EXPECT_GT(std::abs(one - other), 0.1 * other);
  EXPECT_NEAR(report_.gradient_norm, (one + other) / 2, 1e-4 * other);
  report_ = {};
  training_->collect(1, 0, report_);  // an iteration begins anew
  const double next = step(training_->estimate({}, report_));
  EXPECT_NEAR(report_.gradient_norm, next, 1e-4 * next);
}

TEST_F(Loss, OfThePolicyGradient) {
  EXPECT_DOUBLE_EQ(report_.entropy_weight, 0.3);
  add_gradient(*training_, samples_, report_);
  expect_gradients(*net_, [this] {
    const Evaluation e = training_->evaluate(samples_);
    at::Tensor loss = at::zeros({});
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      loss = loss - samples_[i].advantage * e.log_prob[at] - 0.3 * e.entropy[at];
    }
    return loss;
  });
}

/// Ratios inside and outside of the clip, on either side, with advantages of both signs; the
/// expected loss is written out sample by sample.
TEST_F(Loss, OfClippedSteps) {
  constexpr double kClip = 0.2, kEntropy = 0.3;
  constexpr float kChanges[] = {-0.6f, -0.05f, 0.05f, 0.6f};
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    samples_[i].log_prob -= kChanges[i % 4];  // it was that of the policy as it is
    samples_[i].advantage = i % 8 < 4 ? 1.5f : -0.8f;
  }
  const auto loss = [&] {
    const Evaluation e = training_->evaluate(samples_);
    double sum = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double ratio = std::exp(e.log_prob[at].item<double>() - samples_[i].log_prob);
      const double advantage = samples_[i].advantage;
      sum -= std::min(ratio * advantage, std::clamp(ratio, 1 - kClip, 1 + kClip) * advantage);
      sum -= kEntropy * e.entropy[at].item<double>();
    }
    return at::full({}, sum, at::kDouble);
  };
  const at::Tensor trained = clipped_loss(training_->evaluate(samples_), samples_, kClip, kEntropy);
  EXPECT_NEAR(trained.item<double>(), loss().item<double>(), 1e-3);
  trained.backward();
  expect_gradients(*net_, loss);
}

TEST(ClippedGain, GivesNoMoreBeyondTheClip) {
  const at::Tensor ratio = at::tensor({0.5f, 0.9f, 1.1f, 1.5f}).repeat({2});
  const at::Tensor r = ratio.clone().requires_grad_(true);
  const at::Tensor advantage = at::tensor({2.f, 2.f, 2.f, 2.f, -2.f, -2.f, -2.f, -2.f});
  const at::Tensor gain = clipped_gain(r, advantage, 0.2);
  gain.sum().backward();
  const at::Tensor expected = at::tensor({1.f, 1.8f, 2.2f, 2.4f, -1.6f, -1.8f, -2.2f, -3.f});
  EXPECT_TRUE(at::allclose(gain, expected));
  EXPECT_TRUE(at::allclose(r.grad(), at::tensor({2.f, 2.f, 2.f, 0.f, 0.f, -2.f, -2.f, -2.f})));
}

TEST(ValueLoss, OfObservationAndTime) {
  Registry registry;
  envs::register_all(registry);
  const Spec spec = registry.spec(test::kTwoServers);
  const FixedEpisodes source = TrainingEpisodes{.sequences = 1, .rollouts = 1}.of(Rng(2), 0);
  Trajectories trajectories(spec);
  NetworkPolicy policy(spec, std::make_shared<test::TwoServers>(spec), true);
  trajectories.collect(*registry.stream(test::kTwoServers, source), policy, Rng(3));
  const Trajectory& t = trajectories.all()[0];
  std::vector<ValueSample> samples = samples_of(t, returns_of(t));
  const ValueUnits units = units_of(samples);
  samples.resize(30);
  for (const bool timed : {false, true}) {
    ValueModel model(spec, std::make_shared<test::TwoServers>(spec), timed);
    {
      const at::NoGradGuard off;
      for (at::Tensor p : model.parameters()) p.copy_(0.1 * test::numbers(p.sizes(), 9));
    }
    const auto loss = [&] {
      return model.squared_errors(trajectories.observations(), samples, units) / 30;
    };
    for (const at::Tensor& p : model.parameters()) p.mutable_grad() = at::zeros_like(p);
    loss().backward();
    expect_gradients(model, loss);
    const at::NoGradGuard off;  // what is predicted is what the loss is of
    const std::vector<double> values = model.predict(trajectories.observations(), samples, units);
    double sum = 0;
    for (std::size_t i = 0; i < 30; ++i)
      sum += std::pow((values[i] - samples[i].target) / units.deviation, 2) / 30;
    EXPECT_NEAR(loss().item<double>(), sum, 1e-4 * sum);
  }
}

}  // namespace loss_test
}  // namespace park::agents
