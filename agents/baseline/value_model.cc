#include "agents/baseline/value_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "agents/kit/observing.h"

namespace park::agents {
namespace {

constexpr std::int64_t kKnots = 32;  // of the function of the time
constexpr std::size_t kAtOnce = 4096;

/// Two neighbouring knots share a sample [n, knots], scaled to a mean square of about 1 each, as
/// the inputs of a network should have.
at::Tensor time_features(std::span<const ValueSample> samples, double length_s) {
  const at::Tensor all = at::zeros({static_cast<std::int64_t>(samples.size()), kKnots});
  const double scale = std::sqrt(1.5 * kKnots);
  float* row = all.data_ptr<float>();
  for (const ValueSample& s : samples) {
    const double at = std::min(s.time_s / length_s, 1.0) * (kKnots - 1);
    const auto knot = std::min(static_cast<std::int64_t>(at), kKnots - 2);
    const double part = at - static_cast<double>(knot);
    row[knot] = static_cast<float>(scale * (1 - part));
    row[knot + 1] = static_cast<float>(scale * part);
    row += kKnots;
  }
  return all;
}

}  // namespace

std::vector<ValueSample> samples_of(const Trajectory& t, std::span<const double> targets) {
  std::vector<ValueSample> all;
  for (std::size_t k = 0; k < t.steps.size(); ++k)
    all.push_back({t.steps[k].row, t.steps[k].time_s, targets[k]});
  return all;
}

ValueSample end_of(const Trajectory& t) { return {.row = t.final_row, .time_s = t.end_s()}; }

ValueUnits units_of(std::span<const ValueSample> samples) {
  const auto n = static_cast<double>(samples.size());
  ValueUnits units{.mean = 0, .deviation = 0, .length_s = 1e-9};
  for (const ValueSample& s : samples) {
    units.mean += s.target / n;
    units.length_s = std::max(units.length_s, s.time_s);
  }
  for (const ValueSample& s : samples)
    units.deviation += (s.target - units.mean) * (s.target - units.mean) / n;
  // What is the same everywhere has no unit but its own size.
  units.deviation = std::max({std::sqrt(units.deviation), 1e-6 * std::abs(units.mean), 1e-12});
  return units;
}

at::Tensor ValueModel::time_rates(std::span<const ValueSample> samples, const ValueUnits& units) {
  // The features of a sample have the same sum everywhere, so a row sum is that times a mean.
  const at::Tensor mean = time_features(samples, units.length_s).mean(0);
  const at::Tensor rows = 2 * mean * mean.sum();
  return at::where(rows > 0, 1 / rows, at::zeros_like(rows));
}

ValueModel::ValueModel(const Spec& spec, std::shared_ptr<Network> net, bool timed)
    : net_(register_module("state", std::move(net))), observation_(spec.observation) {
  if (timed) time_ = register_parameter("time", at::zeros({kKnots}));
}

void ValueModel::normalise(const Rollout& rollout) {
  observe_some(*net_, rollout, observation_);
  net_->settle();
}

at::Tensor ValueModel::forward(const Rollout& rollout, std::span<const ValueSample> samples,
                               double length_s) {
  std::vector<std::uint32_t> rows;
  for (const ValueSample& s : samples) rows.push_back(s.row);
  observation_.clear();
  rollout.gather(rows, observation_);
  const at::Tensor of_state = net_->values(*net_->encode(observation_));
  return time_.defined() ? of_state + at::matmul(time_features(samples, length_s), time_)
                         : of_state;
}

std::vector<double> ValueModel::predict(const Rollout& rollout,
                                        std::span<const ValueSample> samples,
                                        const ValueUnits& units) {
  const c10::NoGradGuard off;
  std::vector<double> all;
  for (std::size_t at = 0; at < samples.size(); at += kAtOnce) {
    const auto some = samples.subspan(at, std::min(kAtOnce, samples.size() - at));
    const at::Tensor v = forward(rollout, some, units.length_s).contiguous();
    for (std::size_t i = 0; i < some.size(); ++i)
      all.push_back(units.mean + units.deviation * static_cast<double>(v.data_ptr<float>()[i]));
  }
  return all;
}

at::Tensor ValueModel::squared_errors(const Rollout& rollout, std::span<const ValueSample> samples,
                                      const ValueUnits& units) {
  const at::Tensor target = at::empty({static_cast<std::int64_t>(samples.size())});
  for (std::size_t i = 0; i < samples.size(); ++i)
    target.data_ptr<float>()[i] =
        static_cast<float>((samples[i].target - units.mean) / units.deviation);
  return (forward(rollout, samples, units.length_s) - target).square().sum();
}

}  // namespace park::agents
