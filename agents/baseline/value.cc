#include <utility>

#include "agents/baseline/baselines.h"

namespace park::agents {
namespace {

class Value final : public Baseline {
 public:
  Value(const Spec& spec, std::shared_ptr<Network> net, const ValueBaselineOptions& options,
        const Rng& run)
      : function_(spec, std::move(net), options.learning), run_(run.split("value")) {
    if (options.sequence_mean) sequence_mean_ = make_sequence_mean();
  }

  std::vector<double> ends(const Trajectories& trajectories) override {
    std::vector<ValueSample> samples;
    for (const Trajectory& t : trajectories.all()) samples.push_back(end_of(t));
    return function_.predict(trajectories.observations(), samples);
  }

  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    PerStep all;
    for (const Trajectory& t : trajectories.all())
      all.push_back(
          function_.predict(trajectories.observations(), samples_of(t, returns[all.size()])));
    if (sequence_mean_) add_residuals(trajectories, returns, all);
    return all;
  }

  void fit(const Trajectories& trajectories, const PerStep& targets) override {
    std::vector<ValueSample> samples;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::vector<ValueSample> of_one = samples_of(trajectories.all()[i], targets[i]);
      samples.insert(samples.end(), of_one.begin(), of_one.end());
    }
    function_.fit(trajectories.observations(), std::move(samples), run_);
  }

  [[nodiscard]] bool critic() const noexcept override { return true; }
  State state() override { return function_.state(); }

 private:
  /// What the others' returns turned out to be above their values, at the same time.
  void add_residuals(const Trajectories& trajectories, const PerStep& returns, PerStep& all) {
    PerStep residuals = returns;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < returns[i].size(); ++k) residuals[i][k] -= all[i][k];
    const PerStep mean = sequence_mean_->values(trajectories, residuals);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < returns[i].size(); ++k) all[i][k] += mean[i][k];
  }

  ValueFunction function_;
  Rng run_;
  std::unique_ptr<Baseline> sequence_mean_;
};

}  // namespace

std::unique_ptr<Baseline> make_value(const Spec& spec, std::shared_ptr<Network> net,
                                     const ValueBaselineOptions& options, const Rng& run) {
  return std::make_unique<Value>(spec, std::move(net), options, run);
}

}  // namespace park::agents
