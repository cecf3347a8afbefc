// The baseline that adapts to each sequence of inputs. The rollouts of a sequence are split in two
// halves; weights adapted on one half predict the returns of the other. fit takes meta steps: inner
// steps per half, then the gradient carried back through them with products of the Hessian by
// central differences. Algorithms call values, then fit, once per iteration.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/baseline/maml.h"

namespace park::agents {
namespace {

constexpr std::size_t kSequencesAtOnce = 4096;
constexpr double kMetaClip = 10;

/// Half of the rollouts of a sequence, and the weights that were adapted on them.
struct Half {
  std::vector<std::size_t> rollouts;
  std::vector<ValueSample> samples{};
  ValueUnits units{};
  at::Tensor rates{};
  std::vector<at::Tensor> adapted{};
};

class Meta final : public Baseline {
 public:
  Meta(const Spec& spec, std::shared_ptr<Network> net, const MetaOptions& options)
      : model_(std::make_shared<ValueModel>(spec, std::move(net), true)),
        options_(options),
        optimiser_(model_) {}

  std::vector<double> ends(const Trajectories& trajectories) override {
    std::vector<ValueSample> samples;
    for (const Trajectory& t : trajectories.all()) samples.push_back(end_of(t));
    return model_->predict(trajectories.observations(), samples, units_.get());
  }

  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    const Rollout& rollout = trajectories.observations();
    halves_.clear();
    for (const auto& rollouts : by_sequence(trajectories.all())) {
      const auto middle = rollouts.begin() + static_cast<std::ptrdiff_t>(rollouts.size() / 2);
      halves_.push_back({.rollouts = {rollouts.begin(), middle}});
      halves_.push_back({.rollouts = {middle, rollouts.end()}});
    }
    const at::Tensor before = weights();
    PerStep all(returns.size());
    for (std::size_t h = 0; h < halves_.size(); ++h) {
      Half& half = halves_[h];
      half.samples = samples(trajectories, returns, half.rollouts);
      half.units = units_of(half.samples);
      half.rates = rates(half);
      half.adapted = adapt(inner(rollout, half), before, half.rates, options_.inner_steps);
      set(half.adapted.back());
      for (const std::size_t i : halves_[h ^ 1].rollouts)
        all[i] =
            model_->predict(rollout, samples_of(trajectories.all()[i], returns[i]), half.units);
    }
    set(before);
    return all;
  }

  void fit(const Trajectories& trajectories, const PerStep& targets) override {
    const Rollout& rollout = trajectories.observations();
    const at::Tensor before = weights();
    at::Tensor sum = at::zeros_like(before);
    std::vector<ValueSample> all;
    for (std::size_t h = 0; h < halves_.size(); ++h) {
      const Half& half = halves_[h];
      const auto others = samples(trajectories, targets, halves_[h ^ 1].rollouts);
      const at::Tensor outer = gradient(rollout, others, half.units, half.adapted.back());
      sum += options_.first_order
                 ? outer
                 : meta_gradient(inner(rollout, half), half.adapted, half.rates, outer);
      all.insert(all.end(), others.begin(), others.end());
    }
    set(before);
    set_gradient(sum);
    optimiser_.step(options_.learning_rate, kMetaClip, static_cast<double>(halves_.size()));
    units_.follow(all);
    model_->normalise(rollout);
    halves_.clear();
  }

  [[nodiscard]] bool critic() const noexcept override { return true; }
  [[nodiscard]] std::uint32_t fewest_rollouts() const noexcept override { return kMetaRollouts; }

  State state() override {
    State all;
    append(all, "network", state_of(*model_));
    append(all, "optimiser", optimiser_.state());
    all.emplace_back("units", units_.tensor());
    return all;
  }

 private:
  static std::vector<ValueSample> samples(const Trajectories& trajectories, const PerStep& targets,
                                          const std::vector<std::size_t>& rollouts) {
    std::vector<ValueSample> all;
    for (const std::size_t i : rollouts) {
      const std::vector<ValueSample> of_one = samples_of(trajectories.all()[i], targets[i]);
      all.insert(all.end(), of_one.begin(), of_one.end());
    }
    return all;
  }

  [[nodiscard]] at::Tensor weights() const {
    std::vector<at::Tensor> all;
    for (const at::Tensor& p : model_->parameters()) all.push_back(p.detach().flatten());
    return at::cat(all);
  }

  void set(const at::Tensor& weights) {
    const c10::NoGradGuard off;
    std::int64_t at = 0;
    for (at::Tensor p : model_->parameters()) {
      p.copy_(weights.slice(0, at, at + p.numel()).view_as(p));
      at += p.numel();
    }
  }

  void set_gradient(const at::Tensor& gradient) {
    std::int64_t at = 0;
    for (const at::Tensor& p : model_->parameters()) {
      p.mutable_grad() = gradient.slice(0, at, at + p.numel()).view_as(p).clone();
      at += p.numel();
    }
  }

  /// Of an inner step [weights].
  [[nodiscard]] at::Tensor rates(const Half& half) const {
    std::vector<at::Tensor> all;
    for (const at::Tensor& p : model_->parameters())
      all.push_back(p.is_same(model_->time_weights())
                        ? options_.inner_learning_rate *
                              ValueModel::time_rates(half.samples, half.units)
                        : at::full({p.numel()}, options_.inner_network_rate));
    return at::cat(all);
  }

  /// Of the mean squared error at given weights, which stay set.
  at::Tensor gradient(const Rollout& rollout, std::span<const ValueSample> samples,
                      const ValueUnits& units, const at::Tensor& at_weights) {
    set(at_weights);
    for (const at::Tensor& p : model_->parameters()) p.mutable_grad() = at::zeros_like(p);
    for (std::size_t at = 0; at < samples.size(); at += kSequencesAtOnce)
      model_
          ->squared_errors(
              rollout, samples.subspan(at, std::min(kSequencesAtOnce, samples.size() - at)), units)
          .backward();
    std::vector<at::Tensor> all;
    for (const at::Tensor& p : model_->parameters()) all.push_back(p.grad().flatten());
    return at::cat(all) / static_cast<double>(std::max<std::size_t>(1, samples.size()));
  }

  GradientAt inner(const Rollout& rollout, const Half& half) {
    return [this, &rollout, &half](const at::Tensor& weights) {
      return gradient(rollout, half.samples, half.units, weights);
    };
  }

  std::shared_ptr<ValueModel> model_;
  MetaOptions options_;
  Optimiser optimiser_;
  RunningUnits units_;        // of ends, which are valued before an adaptation
  at::Tensor rates_;          // [weights] of an inner step
  std::vector<Half> halves_;  // of values, until fit; those of a sequence are neighbours
};

}  // namespace

std::unique_ptr<Baseline> make_meta(const Spec& spec, std::shared_ptr<Network> net,
                                    const MetaOptions& options) {
  return std::make_unique<Meta>(spec, std::move(net), options);
}

}  // namespace park::agents
