#include "agents/algorithm/ppo_algorithm.h"

#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/minimum.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/algorithm/on_policy.h"
#include "agents/kit/gradients.h"

namespace park::agents {
namespace {

struct PpoConfig : TrainingConfig {
  static constexpr const char* kName = "ppo";
  double lambda = 0.95;
  std::uint32_t epochs = 3;
  double clip = 0.2;
  double largest_divergence = 0.02;
  bool operator==(const PpoConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    TrainingConfig::fields(self, visit);
    visit("lambda", self.lambda,
          FieldDoc{.doc = "weight of what follows in an advantage, per decision; 1: all of it",
                   .min = 0,
                   .max = 1});
    visit("epochs", self.epochs,
          FieldDoc{.doc = "how often an iteration goes over its decisions", .min = 1, .max = 1000});
    visit("clip", self.clip,
          FieldDoc{.doc = "change of a probability that is still rewarded",
                   .min = 0,
                   .max = 10,
                   .open_min = true});
    visit("largest_divergence", self.largest_divergence,
          FieldDoc{.doc = "from the policy that acted, where an iteration ends early",
                   .unit = "nats per decision",
                   .min = 0,
                   .max = 1e9,
                   .open_min = true});
  }
};

/// The logarithms of the ratios of probabilities to those that the samples were drawn with [n].
at::Tensor changes(const Evaluation& e, std::span<const Sample> samples) {
  const at::Tensor before = at::empty({static_cast<std::int64_t>(samples.size())});
  for (std::size_t i = 0; i < samples.size(); ++i)
    before.data_ptr<float>()[i] = samples[i].log_prob;
  return e.log_prob - before;
}

/// Proximal policy optimisation (Schulman et al., 2017, equation 7): several epochs of minibatches
/// on what an iteration has played, each a step, with clipped ratios of probabilities. Advantages
/// as a2c has them.
class Ppo final : public OnPolicy {
 public:
  Ppo(Task task, const PpoConfig& config)
      : OnPolicy(std::move(task), config, {.lambda = config.lambda, .bootstrap = true}),
        config_(config) {}

 private:
  void learn(std::int64_t iteration, std::vector<Sample> samples,
             runs::IterationReport& report) override {
    Rng order = training_.rng().split("order").split(static_cast<std::uint64_t>(iteration));
    for (std::uint32_t epoch = 0; epoch < config_.epochs; ++epoch) {
      order.shuffle(std::span(samples));
      go_over(samples, report);
      if (report.divergence > config_.largest_divergence) break;
    }
  }

  /// An epoch: a step for each minibatch.
  void go_over(std::span<const Sample> samples, runs::IterationReport& report) {
    report.entropy = report.divergence = 0;
    for (std::size_t at = 0; at < samples.size(); at += config_.minibatch)
      learn(samples.subspan(at, std::min<std::size_t>(config_.minibatch, samples.size() - at)),
            report);
    report.entropy /= static_cast<double>(samples.size());
    report.divergence /= static_cast<double>(samples.size());
  }

  /// The divergence is Schulman's low-variance estimate: mean of ratio - 1 - log ratio.
  void learn(std::span<const Sample> samples, runs::IterationReport& report) {
    const Evaluation e = training_.evaluate(samples);
    const at::Tensor loss = clipped_loss(e, samples, config_.clip, report.entropy_weight);
    const at::Tensor change = changes(e, samples).detach();
    report.entropy += e.entropy.sum().item<double>();
    report.divergence += (change.exp() - 1 - change).sum().item<double>();
    if (!loss.requires_grad()) return;  // no decision had a choice
    add_gradients(loss);
    training_.step(samples.size(), report);
  }

  PpoConfig config_;
};

}  // namespace

at::Tensor clipped_gain(const at::Tensor& ratio, const at::Tensor& advantage, double clip) {
  return at::minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage);
}

at::Tensor clipped_loss(const Evaluation& e, std::span<const Sample> samples, double clip,
                        double entropy_weight) {
  const at::Tensor gain = clipped_gain(changes(e, samples).exp(), advantages_tensor(samples), clip);
  return -gain.sum() - entropy_weight * e.entropy.sum();
}

void register_ppo_algorithm(Algorithms& all) {
  all.add({.about = part_text<PpoConfig>(
               {.summary = "several clipped steps on what an iteration has played",
                .reference = "Schulman et al., 2017",
                .place = 30}),
           .baseline = "value",
           .training = training_config<PpoConfig>,
           .make = [](const Value& text, Task task) -> std::unique_ptr<Algorithm> {
             return std::make_unique<Ppo>(std::move(task), parse_config<PpoConfig>(text));
           }});
}

}  // namespace park::agents
