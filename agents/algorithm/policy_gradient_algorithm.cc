#include "agents/algorithm/policy_gradient_algorithm.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/algorithm/on_policy.h"
#include "agents/kit/gradients.h"

namespace park::agents {
namespace {

/// Policy gradients with whole episodes (Williams, Machine Learning 1992), in batches of input
/// sequences that several rollouts share (Decima, SIGCOMM 2019, algorithm 1). The end of a
/// trajectory counts as worth 0, also at a memoryless horizon.
struct ReinforceConfig : TrainingConfig {
  static constexpr const char* kName = "reinforce";
  [[nodiscard]] static Estimator estimator() { return {.lambda = 1, .bootstrap = false}; }
};

/// Advantage actor-critic (Mnih et al., ICML 2016), all environments in step: advantages of a
/// critic (generalised advantage estimation). A trajectory that a horizon cut off ends with the
/// critic's value.
struct A2cConfig : TrainingConfig {
  static constexpr const char* kName = "a2c";
  double lambda = 0.95;
  bool operator==(const A2cConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    TrainingConfig::fields(self, visit);
    visit("lambda", self.lambda,
          FieldDoc{.doc = "weight of what follows in an advantage, per decision; 1: all of it",
                   .min = 0,
                   .max = 1});
  }
  [[nodiscard]] Estimator estimator() const { return {.lambda = lambda, .bootstrap = true}; }
};

/// One step along the policy gradient per iteration.
class PolicyGradient final : public OnPolicy {
 public:
  using OnPolicy::OnPolicy;

 private:
  void learn(std::int64_t, std::vector<Sample> samples, runs::IterationReport& report) override {
    ascend(training_, samples, report);
  }
};

void add_minibatch(Training& training, std::span<const Sample> samples,
                   runs::IterationReport& report) {
  const Evaluation e = training.evaluate(samples);
  const at::Tensor entropy = e.entropy.sum();
  const at::Tensor loss =
      -(e.log_prob * advantages_tensor(samples)).sum() - report.entropy_weight * entropy;
  add_gradients(loss);
  report.entropy += entropy.item<double>();
}

template <class C>
std::unique_ptr<Algorithm> make_policy_gradient(const Value& text, Task task) {
  const auto config = parse_config<C>(text);
  return std::make_unique<PolicyGradient>(std::move(task), config, config.estimator());
}

}  // namespace

void add_gradient(Training& training, std::span<const Sample> samples,
                  runs::IterationReport& report) {
  const std::size_t most = training.config().minibatch;
  for (std::size_t at = 0; at < samples.size(); at += most)
    add_minibatch(training, samples.subspan(at, std::min(most, samples.size() - at)), report);
}

void ascend(Training& training, std::span<const Sample> samples, runs::IterationReport& report) {
  add_gradient(training, samples, report);
  report.entropy /= static_cast<double>(samples.size());
  training.step(samples.size(), report);
}

void register_policy_gradient_algorithm(Algorithms& all) {
  all.add({.about = part_text<ReinforceConfig>({.summary = "policy gradient with whole episodes",
                                                .reference = "Williams, Machine Learning 1992",
                                                .place = 10}),
           .baseline = "sequence_mean",
           .training = training_config<ReinforceConfig>,
           .make = make_policy_gradient<ReinforceConfig>});
  all.add({.about = part_text<A2cConfig>({.summary = "policy gradient with advantages of a critic",
                                          .reference = "Mnih et al., ICML 2016",
                                          .place = 20}),
           .baseline = "value",
           .training = training_config<A2cConfig>,
           .make = make_policy_gradient<A2cConfig>});
}

}  // namespace park::agents
