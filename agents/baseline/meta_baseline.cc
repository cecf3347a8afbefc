// Learns a value function of observation and time that adapts to an input sequence by some gradient
// steps (Mao et al., ICLR 2019, algorithm 1, by MAML). values() splits the rollouts of each
// sequence into two halves and adapts weights on each; those of the first half score the second
// half and the other way round, so that none is scored by weights adapted on itself. Values and
// times count in the units of the half that was adapted on. fit() takes one meta step along the
// mean gradient of all cross losses and drops the halves. ends() is asked first and uses the
// weights before an adaptation.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/baseline/maml.h"
#include "agents/baseline/value_function.h"
#include "agents/kit/gradients.h"

namespace park::agents {
namespace {

constexpr std::size_t kSequencesAtOnce = 4096;
constexpr double kMetaClip = 10;
constexpr std::uint32_t kMetaRollouts = 2;  // of a sequence: one for each half

struct MetaConfig {
  static constexpr const char* kName = "meta";
  double learning_rate = 1e-3, inner_learning_rate = 0.8, inner_network_rate = 0;
  std::uint32_t inner_steps = 1;
  bool first_order = false;
  bool operator==(const MetaConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("learning_rate", self.learning_rate,
          FieldDoc{.doc = "of the Adam of the meta step", .min = 0, .max = 10});
    visit("inner_learning_rate", self.inner_learning_rate,
          FieldDoc{.doc = "part of its mean error around each time that the function of the time "
                          "loses in a step that adapts it to a sequence",
                   .min = 0,
                   .max = 1});
    visit("inner_network_rate", self.inner_network_rate,
          FieldDoc{.doc = "of the network of the observation in such a step; 0: sequences share it",
                   .min = 0,
                   .max = 10});
    visit("inner_steps", self.inner_steps,
          FieldDoc{.doc = "steps that adapt to a sequence", .min = 1, .max = 100});
    visit("first_order", self.first_order,
          FieldDoc{.doc = "leaves out the second derivatives of the meta gradient"});
  }
};

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
  Meta(const MetaConfig& config, const BaselineTask& task)
      : model_(std::make_shared<ValueModel>(task.spec, task.value_network(task.run.split("value")),
                                            true)),
        config_(config),
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
      half.adapted = adapt(inner(rollout, half), before, half.rates, config_.inner_steps);
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
      sum += config_.first_order
                 ? outer
                 : meta_gradient(inner(rollout, half), half.adapted, half.rates, outer);
      all.insert(all.end(), others.begin(), others.end());
    }
    set(before);
    set_gradient(sum);
    optimiser_.step(config_.learning_rate, kMetaClip, static_cast<double>(halves_.size()));
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
                        ? config_.inner_learning_rate *
                              ValueModel::time_rates(half.samples, half.units)
                        : at::full({p.numel()}, config_.inner_network_rate));
    return at::cat(all);
  }

  /// Of the mean squared error at given weights, which stay set.
  at::Tensor gradient(const Rollout& rollout, std::span<const ValueSample> samples,
                      const ValueUnits& units, const at::Tensor& at_weights) {
    set(at_weights);
    for (const at::Tensor& p : model_->parameters()) p.mutable_grad() = at::zeros_like(p);
    for (std::size_t at = 0; at < samples.size(); at += kSequencesAtOnce)
      add_gradients(model_->squared_errors(
          rollout, samples.subspan(at, std::min(kSequencesAtOnce, samples.size() - at)), units));
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
  MetaConfig config_;
  Optimiser optimiser_;
  RunningUnits units_;        // of ends, which are valued before an adaptation
  std::vector<Half> halves_;  // of values, until fit; those of a sequence are neighbours
};

}  // namespace

void register_meta_baseline(Baselines& all) {
  all.add({.about = part_text<MetaConfig>(
               {.summary = "a value function that adapts to each input sequence",
                .reference = "Mao et al., ICLR 2019",
                .place = 50}),
           .fewest_rollouts = kMetaRollouts,
           .make = [](const Value& text, const BaselineTask& task) -> std::unique_ptr<Baseline> {
             return std::make_unique<Meta>(parse_config<MetaConfig>(text), task);
           }});
}

}  // namespace park::agents
