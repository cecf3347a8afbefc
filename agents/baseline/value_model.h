#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/kit/network.h"
#include "agents/kit/trajectories.h"

namespace park::agents {

/// A decision, or the end of an episode, and its return.
struct ValueSample {
  std::uint32_t row = 0;  ///< of the rollout
  double time_s = 0;      ///< of the episode
  double target = 0;
};

/// The decisions of a trajectory and their returns [steps].
[[nodiscard]] std::vector<ValueSample> samples_of(const Trajectory&, std::span<const double>);
/// Its end.
[[nodiscard]] ValueSample end_of(const Trajectory&);

/// Units in which targets have mean 0 and deviation 1, and times are below 1.
struct ValueUnits {
  double mean = 0, deviation = 1, length_s = 1;
};
[[nodiscard]] ValueUnits units_of(std::span<const ValueSample>);

/// Estimates the value of an observation by a network. A timed model adds a piecewise linear
/// function of the time since the episode began, which covers the future inputs of one sequence.
/// After the last length_s it is constant.
class ValueModel : public torch::nn::Module {
 public:
  /// REQUIRES net->has_values().
  ValueModel(const Spec&, std::shared_ptr<Network> net, bool timed);

  /// Adds this rollout to the statistics that normalise the network's observations. Call it before
  /// learning from the rollout, so that the network predicts by the statistics that it has learnt
  /// with.
  void normalise(const Rollout&);
  /// Values [samples], in the samples' own units.
  [[nodiscard]] std::vector<double> predict(const Rollout&, std::span<const ValueSample>,
                                            const ValueUnits&);
  /// The sum of squared errors in those units, with gradients where they are enabled.
  [[nodiscard]] at::Tensor squared_errors(const Rollout&, std::span<const ValueSample>,
                                          const ValueUnits&);
  /// The weights of the time; undefined without them.
  [[nodiscard]] const at::Tensor& time_weights() const noexcept { return time_; }
  /// Rates [time weights]: one over the row sums of the Hessian; 0 without samples. A step along
  /// the gradient of the mean squared error then removes the mean error around each time and
  /// overshoots in no direction.
  [[nodiscard]] static at::Tensor time_rates(std::span<const ValueSample>, const ValueUnits&);

 private:
  [[nodiscard]] at::Tensor forward(const Rollout&, std::span<const ValueSample>, double length_s);

  std::shared_ptr<Network> net_;
  at::Tensor time_;
  Batch observation_;
};

}  // namespace park::agents
