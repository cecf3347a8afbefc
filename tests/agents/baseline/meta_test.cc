// The meta gradient against what is known, and what each input-dependent baseline looks at.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "agents/baseline/baselines.h"
#include "agents/baseline/maml.h"
#include "agents/kit/returns.h"
#include "agents/kit/training_episodes.h"
#include "park/core/episodes.h"
#include "park/envs/envs.h"
#include "tests/agents/baseline/two_servers.h"
#include "tests/agents/kit/gradient.h"

namespace park::agents {
namespace meta_test {

using test::numbers;
using Loss = std::function<at::Tensor(const at::Tensor& weights)>;

GradientAt gradient_of(const Loss& loss) {
  return [loss](const at::Tensor& weights) {
    const at::Tensor w = weights.detach().clone().requires_grad_(true);
    return torch::autograd::grad({loss(w)}, {w})[0];
  };
}

double relative_error(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

/// A squared error of a linear function: its Hessian is 2 X'X / n everywhere.
TEST(Maml, IsExactWhereTheLossIsQuadratic) {
  const at::Tensor x = numbers({40, 6}, 1), y = numbers({40}, 2), outer = numbers({6}, 3);
  const at::Tensor rates = 0.2 * (numbers({6}, 4) + 1.5), start = numbers({6}, 5);
  const GradientAt inner =
      gradient_of([&](const at::Tensor& w) { return (at::matmul(x, w) - y).square().mean(); });
  const at::Tensor hessian = 2 * at::matmul(x.t(), x) / 40;
  at::Tensor expected = outer;
  const std::vector<at::Tensor> adapted = adapt(inner, start, rates, 3);
  ASSERT_EQ(adapted.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    const at::Tensor slope = 2 * at::matmul(x.t(), at::matmul(x, adapted[i]) - y) / 40;
    EXPECT_TRUE(at::allclose(adapted[i + 1], adapted[i] - rates * slope, 1e-5, 1e-6));
    expected = expected - at::matmul(hessian, rates * expected);
  }
  const double error = relative_error(meta_gradient(inner, adapted, rates, outer), expected);
  std::printf("relative error, quadratic loss, 3 steps: %.1e\n", error);
  EXPECT_LT(error, 2e-4);
}

/// A perceptron 5 -> 12 -> 1 whose weights are one tensor.
at::Tensor perceptron(const at::Tensor& w, const at::Tensor& x, bool smooth) {
  const at::Tensor sums = at::matmul(x, w.slice(0, 0, 60).view({5, 12})) + w.slice(0, 60, 72);
  const at::Tensor hidden = smooth ? at::tanh(sums) : at::leaky_relu(sums, 0.1);
  return at::matmul(hidden, w.slice(0, 72, 84)) + w[84];
}

/// The whole way differentiated by LibTorch, second derivatives included.
TEST(Maml, AgreesWithDoubleBackward) {
  const at::Tensor x = numbers({200, 5}, 1), y = numbers({200}, 2), start = numbers({85}, 7);
  const at::Tensor x2 = numbers({200, 5}, 8), y2 = numbers({200}, 9);
  const at::Tensor rates = 0.1 * at::ones({85});
  for (const bool smooth : {true, false})
    for (const std::uint32_t steps : {1u, 2u}) {
      const Loss inner = [&](const at::Tensor& w) {
        return (perceptron(w, x, smooth) - y).square().mean();
      };
      const Loss outer = [&](const at::Tensor& w) {
        return (perceptron(w, x2, smooth) - y2).square().mean();
      };
      const at::Tensor w = start.clone().requires_grad_(true);
      at::Tensor moved = w;
      for (std::uint32_t i = 0; i < steps; ++i)
        moved = moved - rates * torch::autograd::grad({inner(moved)}, {moved}, {}, true, true)[0];
      const at::Tensor expected = torch::autograd::grad({outer(moved)}, {w})[0];
      const GradientAt slope = gradient_of(inner);
      const std::vector<at::Tensor> adapted = adapt(slope, start, rates, steps);
      const at::Tensor first_order = gradient_of(outer)(adapted.back());
      const double error =
          relative_error(meta_gradient(slope, adapted, rates, first_order), expected);
      std::printf("relative error, %s, %u steps: %.1e (first order: %.2f)\n",
                  smooth ? "tanh" : "leaky rectifier", steps, error,
                  relative_error(first_order, expected));
      EXPECT_LT(error, smooth ? 2e-3 : 1e-2);
      EXPECT_GT(relative_error(first_order, expected), 0.1);
    }
}

/// Rollouts of a few sequences on the two servers.
class InputDependent : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRollouts = 5;

  InputDependent()
      : registry_(registry()), spec_(registry_.spec(test::kTwoServers)), trajectories_(spec_) {
    play(3 * kRollouts, trajectories_);
    for (const Trajectory& t : trajectories_.all()) returns_.push_back(returns_of(t));
  }

  /// The first rollouts of three sequences.
  void play(std::size_t rollouts, Trajectories& to) {
    const TrainingEpisodes episodes{.sequences = 3, .rollouts = kRollouts, .fixed = 3};
    const FixedEpisodes all = episodes.of(run_, 0);
    std::vector<Episode> some;
    for (std::size_t k = 0; k < rollouts; ++k) some.push_back(*all.at(k));
    const FixedEpisodes source(std::move(some));
    const auto stream = registry_.stream(test::kTwoServers, source, {.slots = 4});
    NetworkPolicy policy(spec_, net(), true);
    to.clear();
    to.add(*stream, policy, Rng(3));
  }

  static Registry registry() {
    Registry r;
    envs::register_all(r);
    return r;
  }
  [[nodiscard]] std::shared_ptr<Network> net() const {
    return std::make_shared<test::TwoServers>(spec_);
  }
  [[nodiscard]] std::unique_ptr<Baseline> baseline(const std::string& text) const {
    return make_baseline(
        text, {.spec = spec_, .value_network = [this](const Rng&) { return net(); }, .run = run_});
  }
  /// The places of the trajectories whose values differ.
  static std::vector<std::size_t> different(const PerStep& a, const PerStep& b) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) places.push_back(i);
    return places;
  }

  Registry registry_;
  Rng run_ = phase_rng(2, Phase::train);
  Spec spec_;
  Trajectories trajectories_;
  PerStep returns_;
};

TEST_F(InputDependent, MetaScoresNoRolloutByWeightsAdaptedOnIt) {
  const auto meta = baseline("meta");
  const PerStep before = meta->values(trajectories_, returns_);
  for (double& r : returns_[0]) r *= 1.5;  // in the first half, 0 and 1, of the first sequence
  EXPECT_EQ(different(meta->values(trajectories_, returns_), before),
            (std::vector<std::size_t>{2, 3, 4}));
  for (double& r : returns_[0]) r /= 1.5;
  for (double& r : returns_[4]) r *= 1.5;
  EXPECT_EQ(different(meta->values(trajectories_, returns_), before),
            (std::vector<std::size_t>{0, 1}));
}

/// Error of the values in parts of the returns' variance, over the decisions of all trajectories.
double unexplained(const PerStep& values, const PerStep& returns) {
  double n = 0, sum = 0, squares = 0, errors = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = 0; k < values[i].size(); ++k) {
      n += 1, sum += returns[i][k], squares += returns[i][k] * returns[i][k];
      errors += (returns[i][k] - values[i][k]) * (returns[i][k] - values[i][k]);
    }
  return errors / (squares - sum * sum / n);
}

TEST_F(InputDependent, MetaLearnsToAdapt) {
  for (const bool first_order : {false, true}) {
    const auto meta = baseline(std::string("meta(learning_rate=0.02,inner_network_rate=1e-3") +
                               (first_order ? ",first_order=true)" : ")"));
    const double before = unexplained(meta->values(trajectories_, returns_), returns_);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(meta->values(trajectories_, returns_));
      meta->fit(trajectories_, returns_);
    }
    const double after = unexplained(meta->values(trajectories_, returns_), returns_);
    std::printf("unexplained variance %.3f to %.3f\n", before, after);
    EXPECT_LT(after, 0.85 * before);
  }
}

TEST_F(InputDependent, AFunctionLearnsFromItsOwnSequenceAlone) {
  const auto baseline = this->baseline("multi_value(functions=3,learning_rate=0.02)");
  EXPECT_EQ(baseline->fixed_sequences(), 3u);
  const PerStep before = baseline->values(trajectories_, returns_);
  Trajectories part(spec_);
  play(kRollouts, part);
  for (int i = 0; i < 200; ++i)
    baseline->fit(part, {returns_.begin(), returns_.begin() + kRollouts});
  const PerStep after = baseline->values(trajectories_, returns_);
  std::vector<std::size_t> learned(kRollouts);
  std::iota(learned.begin(), learned.end(), 0u);
  EXPECT_EQ(different(after, before), learned);
  const PerStep values(after.begin(), after.begin() + kRollouts);
  EXPECT_LT(unexplained(values, {returns_.begin(), returns_.begin() + kRollouts}), 0.5);
}

}  // namespace meta_test
}  // namespace park::agents
