#include "agents/reinforce.h"

#include <torch/nn/utils/clip_grad.h>

#include <algorithm>
#include <cmath>

#include "agents/kit/tensor.h"

namespace park::agents {

Reinforce::Reinforce(const Registry& registry, std::string env, std::shared_ptr<Network> net,
                     std::unique_ptr<Baseline> baseline, const ReinforceConfig& config,
                     const Rng& run)
    : registry_(registry),
      env_(std::move(env)),
      spec_(registry.spec(env_)),
      config_(config),
      run_(run),
      heads_(spec_),
      net_(std::move(net)),
      baseline_(std::move(baseline)),
      policy_(spec_, net_, true),
      trajectories_(spec_),
      observation_(spec_.observation),
      action_(spec_.action),
      optimiser_(net_->parameters(), torch::optim::AdamOptions(config.learning_rate)) {}

IterationReport Reinforce::iterate() {
  IterationReport report{.iteration = iteration_};
  const FixedEpisodes source = config_.episodes.of(run_, static_cast<std::uint64_t>(iteration_));
  const auto stream = registry_.stream(env_, source, {.slots = config_.slots});
  trajectories_.collect(*stream, policy_,
                        run_.split("actions").split(static_cast<std::uint64_t>(iteration_)));
  report.decisions = trajectories_.decisions();
  learn(advantages(report), report);
  ++iteration_;
  return report;
}

/// Scaled to a root mean square of 1 over the batch.
std::vector<std::vector<double>> Reinforce::advantages(IterationReport& report) {
  std::vector<std::vector<double>> all;
  double total = 0;
  for (const Trajectory& t : trajectories_.all()) {
    all.push_back(returns_of(t, config_.returns));
    total += all.back().empty() ? 0 : all.back().front();
  }
  report.mean_reward = total / static_cast<double>(all.size());
  const auto expected = baseline_->values(trajectories_, all);
  double squares = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      all[i][k] -= expected[i][k];
      squares += all[i][k] * all[i][k];
    }
  report.advantage_sd = std::sqrt(squares / static_cast<double>(report.decisions));
  for (auto& of_one : all)
    for (double& a : of_one) a /= std::max(report.advantage_sd, 1e-12);
  return all;
}

void Reinforce::learn(const std::vector<std::vector<double>>& advantages, IterationReport& report) {
  std::vector<std::uint32_t> rows;
  std::vector<float> weights;
  for (std::size_t i = 0; i < advantages.size(); ++i)
    for (std::size_t k = 0; k < advantages[i].size(); ++k) {
      const Step& step = trajectories_.all()[i].steps[k];
      if (!step.credited) continue;
      rows.push_back(step.row);
      weights.push_back(static_cast<float>(advantages[i][k]));
    }
  const double part = static_cast<double>(iteration_) / static_cast<double>(config_.iterations);
  const double entropy_weight = config_.entropy * std::max(0.0, 1 - part / config_.entropy_until);
  optimiser_.zero_grad();
  for (std::size_t at = 0; at < rows.size(); at += config_.minibatch) {
    const std::size_t n = std::min(config_.minibatch, rows.size() - at);
    add_gradient(std::span(rows).subspan(at, n), std::span(weights).subspan(at, n), entropy_weight,
                 report);
  }
  report.entropy /= static_cast<double>(rows.size());
  for (const at::Tensor& p : net_->parameters())
    if (p.grad().defined()) p.mutable_grad().div_(static_cast<double>(rows.size()));
  report.gradient_norm = torch::nn::utils::clip_grad_norm_(net_->parameters(), config_.clip_norm);
  auto& options = static_cast<torch::optim::AdamOptions&>(optimiser_.param_groups()[0].options());
  options.lr(config_.learning_rate + part * (config_.final_learning_rate - config_.learning_rate));
  optimiser_.step();
}

void Reinforce::add_gradient(std::span<const std::uint32_t> rows, std::span<const float> advantages,
                             double entropy_weight, IterationReport& report) {
  observation_.clear();
  action_.clear();
  trajectories_.observations().gather(rows, observation_);
  for (const std::uint32_t r : rows) action_.append(trajectories_.actions(), r);
  const Evaluation e = evaluate(*net_, heads_, observation_, action_);
  const at::Tensor loss = -(e.log_prob * view(advantages)).sum() - entropy_weight * e.entropy.sum();
  if (loss.requires_grad()) loss.backward();  // else no decision had a choice
  report.entropy += e.entropy.sum().item<double>();
}

}  // namespace park::agents
