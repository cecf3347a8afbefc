#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/baseline/value_model.h"
#include "agents/kit/optimiser.h"
#include "park/core/config.h"

namespace park::agents {

/// How a value function learns: fields of the baselines that have one or several.
struct ValueLearning {
  double learning_rate = 1e-3;
  std::uint32_t epochs = 1, minibatch = 1024;
  bool operator==(const ValueLearning&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("learning_rate", self.learning_rate, FieldDoc{.doc = "of its Adam", .min = 0, .max = 10});
    visit(
        "epochs", self.epochs,
        FieldDoc{.doc = "how often it goes over an iteration's decisions", .min = 1, .max = 1000});
    visit("minibatch", self.minibatch,
          FieldDoc{.doc = "decisions of a step", .min = 1, .max = 1e7});
  }
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
  /// `timed`: of the observation and the time. REQUIRES net->has_values().
  ValueFunction(const Spec&, std::shared_ptr<Network> net, const ValueLearning&, bool timed);

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
  ValueLearning learning_;
  Optimiser optimiser_;
  RunningUnits units_;
};

}  // namespace park::agents
