#include "agents/kit/optimiser.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/nn/utils/clip_grad.h>

#include <cmath>

#include "agents/kit/gradients.h"
#include "park/core/error.h"

namespace park::agents {

Optimiser::Optimiser(std::shared_ptr<torch::nn::Module> net)
    : net_(std::move(net)), adam_(net_->parameters()), steps_(at::zeros({1}, at::kLong)) {
  // Made at once, not at the first step, so that there is always a state to save or to restore.
  for (const at::Tensor& p : net_->parameters()) {
    auto state = std::make_unique<torch::optim::AdamParamState>();
    state->exp_avg(at::zeros_like(p));
    state->exp_avg_sq(at::zeros_like(p));
    adam_.state()[c10::guts::to_string(p.unsafeGetTensorImpl())] = std::move(state);
  }
}

double Optimiser::step(double learning_rate, double clip_norm, double count) {
  const SubnormalsAsZero fast;
  for (const at::Tensor& p : net_->parameters())
    if (p.grad().defined()) p.mutable_grad().div_(count);
  const double norm = torch::nn::utils::clip_grad_norm_(net_->parameters(), clip_norm);
  if (!std::isfinite(norm)) {
    adam_.zero_grad();
    throw Error(Errc::not_finite, "the gradient is not a finite number");
  }
  adam_.param_groups()[0].options().set_lr(learning_rate);
  for (auto& [key, state] : adam_.state())
    static_cast<torch::optim::AdamParamState&>(*state).step(*steps_.data_ptr<std::int64_t>());
  adam_.step();
  steps_ += 1;
  adam_.zero_grad();
  return norm;
}

void Optimiser::reset() {
  const at::NoGradGuard off;
  for (const auto& [name, tensor] : state()) at::Tensor(tensor).zero_();
}

State Optimiser::state() {
  State all{{"steps", steps_}};
  for (const auto& item : net_->named_parameters()) {
    auto& state = static_cast<torch::optim::AdamParamState&>(
        *adam_.state().at(c10::guts::to_string(item.value().unsafeGetTensorImpl())));
    all.emplace_back(item.key() + ".mean", state.exp_avg());
    all.emplace_back(item.key() + ".square", state.exp_avg_sq());
  }
  return all;
}

State state_of(const torch::nn::Module& net) {
  State all;
  for (const auto& item : net.named_parameters()) all.emplace_back(item.key(), item.value());
  for (const auto& item : net.named_buffers()) all.emplace_back(item.key(), item.value());
  return all;
}

void append(State& to, const std::string& prefix, const State& from) {
  for (const auto& [name, tensor] : from) to.emplace_back(prefix + "." + name, tensor);
}

}  // namespace park::agents
