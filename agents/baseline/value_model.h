#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/kit/network.h"
#include "agents/kit/trajectories.h"

namespace park::agents {

/// A decision, or the end of an episode, and what it turned out to be worth.
struct ValueSample {
  std::uint32_t row = 0;  ///< of the rollout
  double time_s = 0;      ///< of the episode
  double target = 0;
};

/// The decisions of a trajectory and what they were worth [steps].
[[nodiscard]] std::vector<ValueSample> samples_of(const Trajectory&, std::span<const double>);
/// Its end.
[[nodiscard]] ValueSample end_of(const Trajectory&);

/// In which targets have mean 0 and deviation 1, and times are below 1.
struct ValueUnits {
  double mean = 0, deviation = 1, length_s = 1;
};
[[nodiscard]] ValueUnits units_of(std::span<const ValueSample>);

/// Estimates the value of an observation by a network. A timed one adds a piecewise linear function
/// of the time since the episode began, which is what the inputs of one sequence bring from there
/// on; behind the last length_s it stays as it is.
class ValueModel : public torch::nn::Module {
 public:
  /// REQUIRES net->has_values().
  ValueModel(const Spec&, std::shared_ptr<Network> net, bool timed);

  /// Lets the network normalise observations by what this rollout adds to its statistics; before
  /// it learns from it, so that it predicts by the statistics that it has learnt with.
  void normalise(const Rollout&);
  /// Values [samples], in the samples' own units.
  [[nodiscard]] std::vector<double> predict(const Rollout&, std::span<const ValueSample>,
                                            const ValueUnits&);
  /// The sum of squared errors in those units, with gradients where they are enabled.
  [[nodiscard]] at::Tensor squared_errors(const Rollout&, std::span<const ValueSample>,
                                          const ValueUnits&);
  /// The weights of the time; undefined without them.
  [[nodiscard]] const at::Tensor& time_weights() const noexcept { return time_; }
  /// Rates [time weights] with which a step along the gradient of the mean squared error takes away
  /// the mean error around each time and overshoots in no direction: one over the row sums of the
  /// Hessian; 0 if no sample is.
  [[nodiscard]] static at::Tensor time_rates(std::span<const ValueSample>, const ValueUnits&);

 private:
  [[nodiscard]] at::Tensor forward(const Rollout&, std::span<const ValueSample>, double length_s);

  std::shared_ptr<Network> net_;
  at::Tensor time_;
  Batch observation_;
};

}  // namespace park::agents
