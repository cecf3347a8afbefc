#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/baseline/value_model.h"
#include "agents/kit/optimiser.h"

namespace park::agents {

/// How a value function learns.
struct ValueOptions {
  double learning_rate = 1e-3;
  std::uint32_t epochs = 1, minibatch = 1024;
  bool timed = false;  ///< of the observation and the time
};

/// The units of past targets, as a state.
class RunningUnits {
 public:
  RunningUnits();
  void follow(std::span<const ValueSample>);
  [[nodiscard]] ValueUnits get() const;
  /// How often they followed.
  [[nodiscard]] double iterations() const;
  [[nodiscard]] const at::Tensor& tensor() const noexcept { return numbers_; }

 private:
  at::Tensor numbers_;  // [4] f64: mean and deviation of targets, length in s, iterations
};

/// A network that estimates values, in units of past targets.
class ValueFunction {
 public:
  /// REQUIRES net->has_values().
  ValueFunction(const Spec&, std::shared_ptr<Network> net, const ValueOptions&);

  [[nodiscard]] std::vector<double> predict(const Rollout& rollout,
                                            std::span<const ValueSample> samples) {
    return model_->predict(rollout, samples, units_.get());
  }
  /// Steps along the gradient of the squared error, in an order drawn from a child of the
  /// generator.
  void fit(const Rollout&, std::vector<ValueSample>, const Rng&);
  [[nodiscard]] State state();

 private:
  std::shared_ptr<ValueModel> model_;
  ValueOptions options_;
  Optimiser optimiser_;
  RunningUnits units_;
};

}  // namespace park::agents
