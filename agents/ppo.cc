#include "agents/ppo.h"

#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/minimum.h>

#include <algorithm>
#include <functional>

namespace park::agents {
namespace {

class Ppo final : public Algorithm {
 public:
  Ppo(Task task, const PpoConfig& config) : training_(std::move(task), config), config_(config) {}

  IterationReport iterate(std::int64_t iteration, double part) override {
    IterationReport report;
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
  void learn(std::span<const Sample> samples, IterationReport& report) {
    const Evaluation e = training_.evaluate(samples);
    const at::Tensor before = at::empty({static_cast<std::int64_t>(samples.size())});
    for (std::size_t i = 0; i < samples.size(); ++i)
      before.data_ptr<float>()[i] = samples[i].log_prob;
    const at::Tensor change = e.log_prob - before, ratio = change.exp();
    const at::Tensor advantage = advantages_tensor(samples), entropy = e.entropy.sum();
    const at::Tensor gain = clipped_gain(ratio, advantage, config_.clip);
    const at::Tensor loss = -gain.sum() - report.entropy_weight * entropy;
    report.entropy += entropy.item<double>();
    report.divergence += (ratio - 1 - change).sum().item<double>();
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

std::unique_ptr<Algorithm> make_ppo(Task task, const PpoConfig& config) {
  return std::make_unique<Ppo>(std::move(task), config);
}

}  // namespace park::agents
