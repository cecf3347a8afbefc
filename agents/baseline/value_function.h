#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/baseline/baseline.h"
#include "agents/kit/network.h"
#include "agents/kit/optimiser.h"

namespace park::agents {

/// How a value function learns.
struct ValueOptions {
  double learning_rate = 1e-3;
  std::uint32_t epochs = 1, minibatch = 1024;
};

/// A decision and what it turned out to be worth.
struct ValueSample {
  std::uint32_t row = 0;  ///< of the rollout
  double target = 0;
};

/// A network that estimates values, in units in which past targets have mean 0 and deviation 1.
class ValueFunction {
 public:
  /// REQUIRES net->has_values().
  ValueFunction(const Spec&, std::shared_ptr<Network> net, const ValueOptions&);

  /// Of rows of a rollout [rows].
  [[nodiscard]] std::vector<double> predict(const Rollout&, std::span<const std::uint32_t> rows);
  /// Steps along the gradient of the squared error, in an order drawn from the generator.
  void fit(const Rollout&, std::vector<ValueSample>, Rng order);
  [[nodiscard]] State state();

 private:
  void normalise(std::span<const ValueSample>);

  std::shared_ptr<Network> net_;
  ValueOptions options_;
  Optimiser optimiser_;
  Batch observation_;
  at::Tensor units_;  // [3] f64: mean and deviation of targets, iterations they are of
};

}  // namespace park::agents
