#include "agents/baseline/value_function.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "agents/kit/gradients.h"

namespace park::agents {
namespace {

// The units follow the targets over some fifty iterations, over fewer at first.
constexpr double kSlowest = 0.02;
constexpr double kClip = 10;

}  // namespace

RunningUnits::RunningUnits() : numbers_(at::zeros({4}, at::kDouble)) {
  numbers_.data_ptr<double>()[1] = numbers_.data_ptr<double>()[2] = 1;
}

void RunningUnits::follow(std::span<const ValueSample> samples) {
  const ValueUnits now = units_of(samples);
  double* numbers = numbers_.data_ptr<double>();
  const double weight = std::max(kSlowest, 1 / (numbers[3] + 1));
  numbers[0] += weight * (now.mean - numbers[0]);
  numbers[1] += weight * (now.deviation - numbers[1]);
  numbers[2] = std::max((1 - weight) * numbers[2], now.length_s);  // the longest of late
  numbers[3] += 1;
}

ValueUnits RunningUnits::get() const {
  const double* numbers = numbers_.data_ptr<double>();
  return {numbers[0], numbers[1], numbers[2]};
}

double RunningUnits::iterations() const { return numbers_.data_ptr<double>()[3]; }

ValueFunction::ValueFunction(const Spec& spec, std::shared_ptr<Network> net,
                             const ValueLearning& learning, bool timed)
    : model_(std::make_shared<ValueModel>(spec, std::move(net), timed)),
      learning_(learning),
      optimiser_(model_) {}

void ValueFunction::fit(const Rollout& rollout, std::vector<ValueSample> samples, const Rng& rng) {
  if (samples.empty()) return;
  Rng order = rng.split(static_cast<std::uint64_t>(units_.iterations()));
  units_.follow(samples);
  model_->normalise(rollout);
  for (std::uint32_t epoch = 0; epoch < learning_.epochs; ++epoch) {
    order.shuffle(std::span(samples));
    for (std::size_t at = 0; at < samples.size(); at += learning_.minibatch) {
      const auto some = std::span<const ValueSample>(samples).subspan(
          at, std::min<std::size_t>(learning_.minibatch, samples.size() - at));
      add_gradients(model_->squared_errors(rollout, some, units_.get()));
      optimiser_.step(learning_.learning_rate, kClip, static_cast<double>(some.size()));
    }
  }
}

State ValueFunction::state() {
  State all;
  append(all, "network", state_of(*model_));
  append(all, "optimiser", optimiser_.state());
  all.emplace_back("units", units_.tensor());
  return all;
}

}  // namespace park::agents
