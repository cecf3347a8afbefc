// Every loss that is trained on, against finite differences, on heads of every kind.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
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
    Task task{.registry = &registry_, .env = kEnv, .guidance = guidance_, .run = Rng(4)};
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
  runs::Guidance guidance_;
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

/// Takes the first legal value of every head.
class First final : public RowPolicy {
 public:
  explicit First(const Spec& spec) : space_(spec), heads_(spec) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override {
    Rng draw(1);
    space_.sample(observation, action, draw);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      if (heads_[h].kind != HeadKind::continuous)
        heads_.set(action, h,
                   static_cast<std::int32_t>(first(space_.choice(h, observation, action))));
  }
  static std::int64_t first(const ActionSpace::Choice& choice) {
    std::int64_t v = choice.low;
    while (!choice.contains(v)) ++v;
    return v;
  }

  ActionSpace space_;
  Heads heads_;
};

class ImitationLoss : public Loss {
 protected:
  ImitationLoss() {
    registry_.add_policy({.name = "any", .summary = "draws"},
                         [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
    registry_.add_policy({.name = "first", .summary = "the first"},
                         [](const Spec& spec) { return std::make_unique<First>(spec); });
    config_.clip_norm = 1e9;
  }

  /// Rows with answers of a teacher that draws.
  void ask() {
    const Spec spec = registry_.spec(kEnv);
    const FixedEpisodes source = TrainingEpisodes{.sequences = 1, .rollouts = 1}.of(Rng(2), 0);
    lessons_ = std::make_unique<Trajectories>(spec);
    RandomPolicy teacher(spec);
    lessons_->demonstrate(*registry_.stream(kEnv, source), teacher, nullptr, Rng(3));
    rows_ = rows_of(*lessons_);
    rows_.resize(24);
    observation_ = std::make_unique<Batch>(spec.observation);
    action_ = std::make_unique<Batch>(spec.action);
    lessons_->observations().gather(rows_, *observation_);
    for (const std::uint32_t r : rows_) action_->append(lessons_->actions(), r);
  }

  /// Minus the log-probability of a row's answer, from the numbers of the table.
  double by_hand(std::size_t row) const {
    const Heads heads(registry_.spec(kEnv));
    const float* const w = net_->weights_.data_ptr<float>();
    const Batch &observation = *observation_, &action = *action_;
    double loss = 0;
    Candidates c;
    for (std::size_t h = 0; h < 3; ++h) {
      heads.candidates(h, observation, action, c);
      double sum = 0;
      for (std::int64_t i = c.offsets[row]; i < c.offsets[row + 1]; ++i)
        sum +=
            std::exp(static_cast<double>(w[16 * h + place(c.value[static_cast<std::size_t>(i)])]));
      loss += std::log(sum) - static_cast<double>(w[16 * h + place(heads.get(action.row(row), h))]);
    }
    const double range = heads[3].high - heads[3].low;
    const double a =
        (static_cast<double>(heads.real(action.row(row), 3)[0]) - heads[3].low) / range;
    const double deviation = std::exp(net_->deviation_.item<double>());
    const double z = (std::log(a / (1 - a)) - static_cast<double>(w[16 * 3])) / deviation;
    return loss + 0.5 * z * z + std::log(deviation * a * (1 - a) * range) +
           0.5 * std::log(2 * std::numbers::pi);
  }
  static std::size_t place(std::int32_t value) { return static_cast<std::size_t>(value) % 16; }

  /// The mean gradient of a step: a tenth of it is Adam's first average.
  at::Tensor stepped(double share, int times) {
    guidance_.replay = share;
    collect(0);
    for (int i = 0; i < times; ++i) add_gradient(*training_, samples_, report_);
    training_->step(samples_.size(), report_);
    for (const auto& [name, tensor] : training_->training())
      if (name == "optimiser.weights.mean") return 10 * tensor;
    ADD_FAILURE() << "no average of the gradient";
    return {};
  }

  std::unique_ptr<Trajectories> lessons_;
  std::vector<std::uint32_t> rows_;
  std::unique_ptr<Batch> observation_, action_;
};

TEST_F(ImitationLoss, IsMinusTheLogProbabilityOfTheAnswersOfAllHeads) {
  ask();
  const auto loss = [&] {
    double sum = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) sum += by_hand(row);
    return at::full({}, sum, at::kDouble);
  };
  const Lesson lesson = training_->add_imitation(*lessons_, rows_, 1);
  EXPECT_NEAR(lesson.loss, loss().item<double>(), 1e-4 * lesson.loss);
  EXPECT_GT(lesson.entropy, 0);
  expect_gradients(*net_, loss);
  const at::Tensor whole = net_->weights_.grad().clone();
  net_->weights_.mutable_grad().zero_();
  static_cast<void>(training_->add_imitation(*lessons_, rows_, 0.25));
  EXPECT_TRUE(at::allclose(net_->weights_.grad(), 0.25 * whole, 1e-4, 1e-5));
}

/// A step's gradient is (1 - share) of that of rewards, plus what demonstrations add.
TEST_F(ImitationLoss, ReplayTakesItsShareOfAStep) {
  config_.learning_rate = config_.final_learning_rate = 0;
  const at::Tensor rewards = stepped(0, 1);
  EXPECT_GT(rewards.abs().max().item<double>(), 1e-3);
  guidance_.imitate = "any";
  const at::Tensor without = stepped(0.25, 0), once = stepped(0.25, 1), twice = stepped(0.25, 2);
  EXPECT_GT(report_.imitation_loss, 0.1);
  EXPECT_TRUE(at::allclose(once - without, 0.75 * rewards, 1e-3, 1e-5));
  EXPECT_TRUE(at::allclose(twice - once, 0.75 * rewards, 1e-3, 1e-5));
  const at::Tensor alone = stepped(1, 0);
  EXPECT_TRUE(at::allclose(stepped(1, 1), alone, 1e-4, 1e-6));
  EXPECT_GT((alone - without).abs().max().item<double>(), 1e-3);
}

TEST_F(ImitationLoss, FallsWhereItAloneIsReplayed) {
  config_.learning_rate = config_.final_learning_rate = 0.05;
  guidance_ = {.imitate = "first", .replay = 1};
  collect(0);
  training_->step(64, report_);
  const double before = report_.imitation_loss;
  for (std::int64_t i = 1; i < 40; ++i) {
    report_ = {};
    training_->collect(i, 0, report_);
    training_->step(64, report_);
  }
  EXPECT_LT(report_.imitation_loss, before - 1) << "from " << before;
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
  trajectories.add(*registry.stream(test::kTwoServers, source), policy, Rng(3));
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
