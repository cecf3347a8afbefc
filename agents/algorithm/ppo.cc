#include "agents/algorithm/ppo.h"

#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/minimum.h>

#include <algorithm>
#include <functional>

namespace park::agents {
namespace {

/// The logarithms of the ratios of probabilities to those that the samples were drawn with [n].
at::Tensor changes(const Evaluation& e, std::span<const Sample> samples) {
  const at::Tensor before = at::empty({static_cast<std::int64_t>(samples.size())});
  for (std::size_t i = 0; i < samples.size(); ++i)
    before.data_ptr<float>()[i] = samples[i].log_prob;
  return e.log_prob - before;
}

class Ppo final : public Algorithm {
 public:
  Ppo(Task task, const PpoConfig& config) : training_(std::move(task), config), config_(config) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) override {
    runs::IterationReport report;
    training_.collect(iteration, part, report);
    std::vector<Sample> samples =
        training_.estimate({.lambda = config_.lambda, .bootstrap = true}, report);
    Rng order = training_.rng().split("order").split(static_cast<std::uint64_t>(iteration));
    for (std::uint32_t epoch = 0; epoch < config_.epochs; ++epoch) {
      order.shuffle(std::span(samples));
      report.entropy = report.divergence = 0;
      in_minibatches(samples, [&](std::span<const Sample> some) { learn(some, report); });
      report.entropy /= static_cast<double>(samples.size());
      report.divergence /= static_cast<double>(samples.size());
      if (report.divergence > config_.largest_divergence) break;
    }
    training_.average();
    return report;
  }

  State policy() override { return training_.policy(); }
  State training() override { return training_.training(); }
  State failed_batch() override { return training_.batch(); }

 private:
  void in_minibatches(std::span<const Sample> samples,
                      const std::function<void(std::span<const Sample>)>& visit) const {
    for (std::size_t at = 0; at < samples.size(); at += config_.minibatch)
      visit(samples.subspan(at, std::min<std::size_t>(config_.minibatch, samples.size() - at)));
  }

  /// The divergence is Schulman's low-variance estimate: mean of ratio - 1 - log ratio.
  void learn(std::span<const Sample> samples, runs::IterationReport& report) {
    const Evaluation e = training_.evaluate(samples);
    const at::Tensor loss = clipped_loss(e, samples, config_.clip, report.entropy_weight);
    const at::Tensor change = changes(e, samples).detach();
    report.entropy += e.entropy.sum().item<double>();
    report.divergence += (change.exp() - 1 - change).sum().item<double>();
    if (!loss.requires_grad()) return;  // no decision had a choice
    loss.backward();
    training_.step(samples.size(), report);
  }

  Training training_;
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

std::unique_ptr<Algorithm> make_ppo(Task task, const PpoConfig& config) {
  return std::make_unique<Ppo>(std::move(task), config);
}

}  // namespace park::agents
