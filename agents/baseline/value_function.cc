#include "agents/baseline/value_function.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "park/core/error.h"

namespace park::agents {
namespace {

// The units follow the targets over some fifty iterations, over fewer at first.
constexpr double kSlowest = 0.02;
constexpr double kClip = 10;
constexpr std::size_t kAtOnce = 4096;

}  // namespace

ValueFunction::ValueFunction(const Spec& spec, std::shared_ptr<Network> net,
                             const ValueOptions& options)
    : net_(std::move(net)),
      options_(options),
      optimiser_(net_),
      observation_(spec.observation),
      units_(at::zeros({3}, at::kDouble)) {
  units_.data_ptr<double>()[1] = 1;
}

std::vector<double> ValueFunction::predict(const Rollout& rollout,
                                           std::span<const std::uint32_t> rows) {
  const c10::NoGradGuard off;
  const double* units = units_.data_ptr<double>();
  std::vector<double> all;
  for (std::size_t at = 0; at < rows.size(); at += kAtOnce) {
    observation_.clear();
    rollout.gather(rows.subspan(at, std::min(kAtOnce, rows.size() - at)), observation_);
    const at::Tensor v = net_->values(*net_->encode(observation_)).contiguous();
    for (std::int64_t i = 0; i < v.numel(); ++i)
      all.push_back(units[0] + units[1] * static_cast<double>(v.data_ptr<float>()[i]));
  }
  return all;
}

void ValueFunction::normalise(std::span<const ValueSample> samples) {
  double sum = 0, squares = 0;
  for (const ValueSample& s : samples) sum += s.target, squares += s.target * s.target;
  const auto n = static_cast<double>(samples.size());
  const double mean = sum / n, deviation = std::sqrt(std::max(1e-24, squares / n - mean * mean));
  double* units = units_.data_ptr<double>();
  const double weight = std::max(kSlowest, 1 / (units[2] + 1));
  units[0] += weight * (mean - units[0]);
  units[1] += weight * (deviation - units[1]);
  units[2] += 1;
}

void ValueFunction::fit(const Rollout& rollout, std::vector<ValueSample> samples, Rng order) {
  if (samples.empty()) return;
  normalise(samples);
  const double* units = units_.data_ptr<double>();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch) {
    order.shuffle(std::span(samples));
    for (std::size_t at = 0; at < samples.size(); at += options_.minibatch) {
      const std::size_t n = std::min<std::size_t>(options_.minibatch, samples.size() - at);
      const at::Tensor target = at::empty({static_cast<std::int64_t>(n)});
      rows.clear();
      for (std::size_t i = 0; i < n; ++i) {
        rows.push_back(samples[at + i].row);
        target.data_ptr<float>()[i] =
            static_cast<float>((samples[at + i].target - units[0]) / units[1]);
      }
      observation_.clear();
      rollout.gather(rows, observation_);
      const std::unique_ptr<Encoding> encoding = net_->encode(observation_);
      (net_->values(*encoding) - target).square().sum().backward();
      optimiser_.step(options_.learning_rate, kClip, static_cast<double>(n));
    }
  }
}

State ValueFunction::state() {
  State all;
  append(all, "network", state_of(*net_));
  append(all, "optimiser", optimiser_.state());
  all.emplace_back("units", units_);
  return all;
}

}  // namespace park::agents
