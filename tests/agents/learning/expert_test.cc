// Expert iteration on a toy whose best decisions are known: it reaches them, keeps no iteration
// without a gain, repeats itself and refuses what it cannot do.
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/optimiser.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/error.h"
#include "park/core/futures.h"
#include "park/core/policy.h"

namespace park::agents {
namespace {

constexpr std::int32_t kSteps = 12;

/// An offer x, uniform in [0, 1], per second. Who takes it pays 1 at once and gets 3 x a second
/// later. Taking pays where x is above 1/3; greed for the next reward never takes.
class Offers final : public Env, public Futures {
 public:
  static Spec spec() {
    Spec s{.name = "offers", .summary = "take offers", .reference = "none"};
    s.observation.leaves = {{.name = "offer", .low = 0, .high = 1, .doc = "of now"},
                            {.name = "due", .low = 0, .high = 3, .doc = "paid with the next"}};
    s.action.leaves = {
        {.name = "take", .dtype = DType::i32, .low = 0, .high = 1, .doc = "1 takes the offer"}};
    s.metrics = {{.name = "gain", .unit = "1", .lower_is_better = false, .doc = "sum"}};
    s.traits = {.cloneable = true};
    return s;
  }
  explicit Offers(double unit = 1)
      : unit_(unit),
        offer_(Batch(spec().observation).field<float>("offer")),
        due_(Batch(spec().observation).field<float>("due")),
        take_(Batch(spec().action).field<std::int32_t>("take")) {}

  void reset(const Episode& e, Row row) override {
    offers_ = Rng(e.inputs).split("offers");
    step_ = 0;
    owed_ = sum_ = 0;
    x_ = offers_.split(0).uniform();
    write(row);
  }
  Outcome step(ConstRow action, Row row) override {
    double reward = owed_;
    owed_ = 0;
    if (action.scalar(take_) != 0) {
      reward -= 1;
      owed_ = 3 * x_;
    }
    x_ = offers_.split(static_cast<std::uint64_t>(++step_)).uniform();
    const bool over = step_ == kSteps;
    if (over) reward += std::exchange(owed_, 0);
    sum_ += reward;
    write(row);
    return {.reward = reward * unit_, .elapsed_s = 1, .end = over ? End::terminated : End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = sum_; }
  [[nodiscard]] std::unique_ptr<Env> clone() const override {
    return std::make_unique<Offers>(*this);
  }
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override {
    auto copy = std::make_unique<Offers>(*this);
    copy->offers_ = Rng(seed);
    return copy;
  }
  /// What the best decisions bring.
  static double optimum(const Episode& e) {
    double sum = 0;
    const Rng offers = Rng(e.inputs).split("offers");
    for (std::uint64_t k = 0; k < kSteps; ++k)
      sum += std::max(0.0, 3 * offers.split(k).uniform() - 1);
    return sum;
  }

 private:
  void write(Row row) const {
    row.scalar(offer_) = static_cast<float>(x_);
    row.scalar(due_) = static_cast<float>(owed_);
  }

  double unit_;
  Field<float> offer_, due_;
  Field<std::int32_t> take_;
  Rng offers_;
  std::int32_t step_ = 0;
  double x_ = 0, owed_ = 0, sum_ = 0;
};

class ExpertIteration : public ::testing::Test {
 protected:
  ExpertIteration() {
    at::set_num_threads(1);
    registry_.add_env(Offers::spec(), [] { return std::make_unique<Offers>(); });
    Spec sealed = Offers::spec();
    sealed.name = "sealed";
    sealed.traits.cloneable = false;
    registry_.add_env(sealed, [] { return std::make_unique<Offers>(); });
    Spec huge = Offers::spec();
    huge.name = "huge";
    registry_.add_env(huge, [] { return std::make_unique<Offers>(1e39); });
  }

  [[nodiscard]] std::unique_ptr<Algorithm> make(const std::string& algorithm, std::uint64_t seed,
                                                const std::string& env = "offers") const {
    return make_algorithm(registry_, {.env = env, .algorithm = algorithm}, seed);
  }

  Registry registry_;
};

/// A figure that only this algorithm reports.
double figure_of(const runs::IterationReport& report, const std::string& name) {
  const auto found =
      std::ranges::find(report.own, name, [](const auto& figure) { return figure.first; });
  return found == report.own.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

constexpr const char* kShort =
    "expert(sequences=8,futures=2,candidates=2,epochs=10,minibatch=16,learning_rate=0.01,"
    "validation=32)";

TEST_F(ExpertIteration, ReachesTheKnownOptimum) {
  const RandomEpisodes held_out(phase_rng(7, Phase::evaluate), {.count = 50});
  double optimum = 0;
  for (std::uint64_t k = 0; k < 50; ++k) optimum += Offers::optimum(*held_out.at(k));
  const runs::TrainingTexts texts = canonical(registry_, {.env = "offers", .algorithm = kShort});
  EXPECT_EQ(texts.baseline, "none");
  const auto algorithm = make(kShort, 1);
  double kept = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const runs::IterationReport report = algorithm->iterate(i, static_cast<double>(i) / 6);
    kept += figure_of(report, "expert.kept");
    EXPECT_EQ(figure_of(report, "expert.kept"), figure_of(report, "expert.t") > 2 ? 1 : 0);
    EXPECT_LE(figure_of(report, "expert.better"), 1);
    if (i == 0) {
      EXPECT_GT(figure_of(report, "expert.better"), 0);
    }
  }
  EXPECT_GE(kept, 1);
  auto net = make_network(texts.network, registry_.spec("offers"), Role::policy, Rng(1));
  const State from = algorithm->policy(), to = state_of(*net);
  {
    const at::NoGradGuard off;
    for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(from[i].second);
  }
  NetworkPolicy policy(registry_.spec("offers"), net, false);
  double reached = 0;
  play(*registry_.stream("offers", held_out, {.slots = 50}), policy, Rng(1),
       [&](const Decisions& d, const Batch&) {
         for (std::size_t i = 0; i < d.ended.size(); ++i) reached += d.metrics_of(i)[0];
       });
  EXPECT_LE(reached, optimum + 1e-6);
  EXPECT_GT(reached, 0.98 * optimum);
}

/// It begins as with --init: with statistics that wait to be applied, and would change the policy.
TEST_F(ExpertIteration, KeepsNoIterationWithoutAGain) {
  const auto algorithm =
      make("expert(sequences=2,futures=2,candidates=2,learning_rate=1,validation=8,keep_t=100)", 1);
  std::size_t pending = 0;
  for (const auto& [name, tensor] : algorithm->policy()) {
    if (!name.ends_with("pending")) continue;
    at::Tensor(tensor).fill_(3);
    ++pending;
  }
  EXPECT_GT(pending, 0u);
  const auto weights = [&] {
    std::vector<float> all;
    for (const auto& [name, tensor] : algorithm->policy()) {
      const at::Tensor flat = tensor.detach().to(at::kFloat).contiguous();
      all.insert(all.end(), flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
    }
    return all;
  };
  const std::vector<float> before = weights();
  for (const std::int64_t i : {0, 1}) {
    const runs::IterationReport report = algorithm->iterate(i, 0);
    EXPECT_EQ(weights(), before) << i;
    EXPECT_EQ(figure_of(report, "expert.kept"), 0);
    EXPECT_EQ(report.decisions, 2u * kSteps);
    EXPECT_EQ(report.mean_length_s, kSteps);
  }
}

/// Where no step changes the weights, another epoch has the same gradients in another order.
TEST_F(ExpertIteration, TellsTheMeanNormOfItsSteps) {
  const auto norm = [&](const std::string& epochs) {
    return make(
               "expert(sequences=8,futures=2,candidates=2,minibatch=1,learning_rate=0,"
               "final_learning_rate=0,validation=2,epochs=" +
                   epochs + ")",
               1)
        ->iterate(0, 0)
        .gradient_norm;
  };
  const double once = norm("1");
  EXPECT_GT(once, 0);
  EXPECT_NEAR(norm("3"), once, 1e-6 * once);
}

TEST_F(ExpertIteration, KeepsTheBatchThatIsNotFinite) {
  const auto algorithm = make(kShort, 1, "huge");
  try {
    static_cast<void>(algorithm->iterate(0, 0));
    FAIL() << "the gains are no floats";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::not_finite);
  }
  const State batch = algorithm->failed_batch();
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[0].first, "offer");
  EXPECT_EQ(batch[2].first, "take");
  EXPECT_EQ(batch[0].second.size(0), 16);
}

TEST_F(ExpertIteration, RepeatsItself) {
  const auto a = make(kShort, 3), b = make(kShort, 3);
  for (std::int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(a->iterate(i, 0).imitation_loss, b->iterate(i, 0).imitation_loss);
  const State x = a->policy(), y = b->policy();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(at::equal(x[i].second, y[i].second));
}

TEST_F(ExpertIteration, RefusesWhatItCannotDo) {
  try {
    static_cast<void>(make("expert", 1, "sealed"));
    FAIL() << "the environment gives no copies";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_EQ(std::string(e.what()),
              "algorithm expert: 'sealed' gives no copies with another future");
  }
  EXPECT_THROW(static_cast<void>(make("expert(rollouts=8)", 1)), Error);
  try {
    static_cast<void>(canonical(
        registry_, {.env = "offers", .algorithm = "expert", .baseline = "sequence_mean"}));
    FAIL() << "it would be of no use";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    EXPECT_STREQ(e.what(), "algorithm expert: learns from no baseline; allowed is none");
  }
}

}  // namespace
}  // namespace park::agents
